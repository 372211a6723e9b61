#include "learn/calibrate/processor_time.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
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

constexpr absl::string_view kNames[] = {"alpha_cpu", "beta_cpu"};
constexpr DirectKind kEnds[] = {
    {"overhead_send", "alpha_cpu", "beta_cpu", false},
    {"overhead_recv", "alpha_cpu", "beta_cpu", false},
};

struct Sum {
  double value = 0;
  double variance = 0;
};

}  // namespace

void CalibrateProcessorTime(domain::Level level, absl::Span<const Sample* const> samples,
                            Calibration* calibration) {
  const domain::Shape shape;  // of no consequence: an overhead is no schedule's time
  const int indices[] = {IndexOf(model::Hockney(), level, kNames[0]),
                         IndexOf(model::Hockney(), level, kNames[1])};
  Sum sums[2];
  size_t count = 0;
  for (const DirectKind& end : kEnds) {
    Samples of_end;
    for (const Sample* sample : samples) {
      if (sample->kind == end.kind) of_end.push_back(sample);
    }
    if (of_end.empty()) continue;
    count += of_end.size();
    const ModelPlan plan = {&model::Hockney(), {}, nullptr, absl::MakeConstSpan(&end, 1), "",
                            SizeChoice::kNone, {}, nullptr};
    const ParameterFit fit = SampleFit(plan, level, shape).Fit(Thin(of_end), {}, indices);
    for (const FittedParameter& fitted : fit.parameters) {
      if (!fitted.identified) continue;
      for (size_t i = 0; i < 2; ++i) {
        if (fitted.index != indices[i]) continue;
        sums[i].value += fitted.value;
        sums[i].variance += fitted.stderr_ * fitted.stderr_;
      }
    }
  }
  if (count == 0) return;
  for (size_t i = 0; i < 2; ++i) {
    domain::Parameter parameter;
    parameter.model = std::string(model::Hockney().id());
    parameter.level = level;
    parameter.name = std::string(kNames[i]);
    parameter.value = sums[i].value;
    parameter.stderr_ = std::sqrt(sums[i].variance);
    parameter.source = absl::StrCat(
        "calibrated: ", domain::Counted(static_cast<int64_t>(count), "sample"), " of overheads");
    calibration->profile.Set(std::move(parameter));
  }
}

}  // namespace cox::learn
