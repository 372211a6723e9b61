#include "learn/calibrate/local_work.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/shape.h"
#include "domain/words/counted.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/model_samples.h"
#include "learn/calibrate/parameter_fit.h"
#include "learn/calibrate/sample_fit.h"
#include "model/models/models.h"

namespace cox::learn {
namespace {

constexpr absl::string_view kLocalKinds[] = {"copy", "reduce"};

Samples OfKind(absl::string_view kind, absl::Span<const Sample* const> samples) {
  Samples of_kind;
  for (const Sample* sample : samples) {
    if (sample->kind == kind && sample->block_bytes > 0) of_kind.push_back(sample);
  }
  return of_kind;
}

// The fitted parameter into every model that has one of this name.
void SetForAll(absl::string_view kind, const FittedParameter& fitted, size_t sample_count,
               domain::Profile* profile) {
  for (const model::Model* model : model::Models()) {
    if (IndexOf(*model, domain::Level::kSelf, kind) < 0) continue;
    domain::Parameter parameter;
    parameter.model = std::string(model->id());
    parameter.level = domain::Level::kSelf;
    parameter.name = std::string(kind);
    parameter.value = fitted.value;
    parameter.stderr_ = fitted.stderr_;
    parameter.source =
        absl::StrCat("calibrated: ", domain::Counted(static_cast<int64_t>(sample_count), "sample"));
    profile->Set(std::move(parameter));
  }
}

void CalibrateKind(absl::string_view kind, const Samples& samples, Calibration* calibration) {
  const ModelPlan plan = {&model::Hockney(), kLocalKinds, nullptr, {}, "",
                          SizeChoice::kNone, {},          nullptr};
  const int index = IndexOf(model::Hockney(), domain::Level::kSelf, kind);
  const domain::Shape shape;  // of no consequence: nothing is sent
  const ParameterFit fit = SampleFit(plan, domain::Level::kSelf, shape).Fit(Thin(samples), {}, {});
  for (const FittedParameter& fitted : fit.parameters) {
    if (fitted.index != index || !fitted.identified) continue;
    SetForAll(kind, fitted, samples.size(), &calibration->profile);
    ModelFit report;
    report.model = absl::StrCat("all: ", kind);
    report.level = domain::Level::kSelf;
    report.sample_count = static_cast<int64_t>(samples.size());
    report.median_relative_error = fit.median_relative_error;
    calibration->fits.push_back(std::move(report));
  }
}

}  // namespace

void CalibrateLocalWork(absl::Span<const Sample* const> samples, Calibration* calibration) {
  for (const absl::string_view kind : kLocalKinds) {
    const Samples of_kind = OfKind(kind, samples);
    if (!of_kind.empty()) CalibrateKind(kind, of_kind, calibration);
  }
}

}  // namespace cox::learn
