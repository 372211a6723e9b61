#include "learn/calibrate/socket_calibration.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/model_calibration.h"

namespace cox::learn {
namespace {

using domain::Level;

// Moves what was fitted as level `node` to level `socket`.
void MoveToSockets(const model::Model& model, Calibration fitted, Calibration* calibration) {
  for (domain::Parameter& parameter : fitted.profile.parameters) {
    if (IndexOf(model, Level::kSocket, parameter.name) < 0) continue;
    parameter.level = Level::kSocket;
    calibration->profile.Set(std::move(parameter));
  }
  for (ModelFit& fit : fitted.fits) {
    fit.level = Level::kSocket;
    calibration->fits.push_back(std::move(fit));
  }
  const std::string as_node =
      absl::StrCat(model.id(), " at level ", domain::LevelName(Level::kNode));
  for (const std::string& warning : fitted.warnings) {
    absl::string_view text = warning;
    const bool names_level = absl::ConsumePrefix(&text, as_node);
    calibration->warnings.push_back(
        names_level
            ? absl::StrCat(model.id(), " at level ", domain::LevelName(Level::kSocket), text)
            : warning);
  }
}

}  // namespace

void CalibrateSockets(absl::Span<const Sample* const> samples, const domain::Shape& shape,
                      domain::CallerWatch* watch, Calibration* calibration) {
  for (const ModelPlan& plan : CalibrationPlans()) {
    if (samples.empty() || !HasLevel(*plan.model, Level::kSocket)) continue;
    Calibration fitted;
    CalibrateModel(plan, Level::kNode, shape, samples, watch, &fitted);
    MoveToSockets(*plan.model, std::move(fitted), calibration);
  }
}

}  // namespace cox::learn
