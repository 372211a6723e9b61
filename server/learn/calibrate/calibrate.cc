#include "learn/calibrate/calibrate.h"

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "domain/words/counted.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/local_work.h"
#include "learn/calibrate/model_calibration.h"
#include "learn/calibrate/processor_time.h"
#include "learn/calibrate/sample_kinds.h"
#include "learn/calibrate/socket_calibration.h"
#include "learn/fallback_parameters.h"

namespace cox::learn {
namespace {

using domain::Level;
using Samples = std::vector<const Sample*>;

Samples AtLevel(absl::Span<const Sample> samples, Level level) {
  Samples selected;
  for (const Sample& sample : samples) {
    if (sample.level == level) selected.push_back(&sample);
  }
  return selected;
}

// A computation unit of C3 is a packet at the memory's rate (section 2.1).
void SetComputeUnitTime(domain::Profile* profile) {
  const domain::Parameter* copy = profile->Find("hockney", Level::kSelf, "copy");
  const domain::Parameter* packet = profile->Find("c3", Level::kNetwork, "l");
  if (copy == nullptr || packet == nullptr) return;
  domain::Parameter unit = *copy;
  unit.model = "c3";
  unit.level = Level::kNetwork;
  unit.name = "compute_unit_time";
  unit.value *= packet->value;
  unit.stderr_ *= packet->value;
  absl::StrAppend(&unit.source, ", copies of a packet");
  profile->Set(std::move(unit));
}

// No model has a price for ping-pongs with oneself.
void WarnOfUnused(const Samples& self, std::vector<std::string>* warnings) {
  int64_t count = 0;
  for (const Sample* sample : self) count += sample->kind == "pingpong" ? 1 : 0;
  if (count == 0) return;
  warnings->push_back(absl::StrCat(domain::Counted(count, "sample"), " at level self ",
                                   domain::Plural(count, "is", "are"),
                                   " not used: no model prices a message to oneself"));
}

}  // namespace

absl::StatusOr<Calibration> Calibrate(absl::Span<const Sample> samples, const domain::Shape& shape,
                                      const domain::IsCancelled& is_cancelled) {
  if (samples.empty()) {
    return domain::InvalidField("samples", "there must be at least one");
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    absl::Status status = CheckSample(samples[i], absl::StrCat("samples[", i, "]."));
    if (!status.ok()) return status;
  }
  Calibration calibration;
  const Samples self = AtLevel(samples, Level::kSelf);
  const Samples socket = AtLevel(samples, Level::kSocket);
  // A message in a node may cross its sockets: most questions do not say.
  Samples node = AtLevel(samples, Level::kNode);
  node.insert(node.end(), socket.begin(), socket.end());
  const Samples network = AtLevel(samples, Level::kNetwork);
  domain::CallerWatch watch(is_cancelled, 1);
  for (const ModelPlan& plan : CalibrationPlans()) {
    if (HasLevel(*plan.model, Level::kNode)) {
      CalibrateModel(plan, Level::kNode, shape, node, &watch, &calibration);
      CalibrateModel(plan, Level::kNetwork, shape, network, &watch, &calibration);
    } else {
      // A model without levels takes all messages for messages between nodes.
      CalibrateModel(plan, Level::kNetwork, shape, network.empty() ? node : network, &watch,
                     &calibration);
    }
  }
  CalibrateSockets(socket, shape, &watch, &calibration);
  CalibrateLocalWork(self, &calibration);
  CalibrateProcessorTime(Level::kNode, node, &calibration);
  CalibrateProcessorTime(Level::kNetwork, network, &calibration);
  SetComputeUnitTime(&calibration.profile);
  WarnOfUnused(self, &calibration.warnings);
  CopyMissingLevels(&calibration.profile, &calibration.warnings);
  if (watch.IsGone()) return watch.status();
  return calibration;
}

}  // namespace cox::learn
