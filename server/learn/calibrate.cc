#include "learn/calibrate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "learn/fallback_parameters.h"
#include "learn/fitted_models.h"
#include "learn/parameter_fit.h"
#include "model/errors.h"
#include "model/model.h"

namespace cox::learn {
namespace {

absl::Status Validate(const Sample& sample, size_t i) {
  const auto invalid = [i](absl::string_view field, absl::string_view rule) {
    return model::InvalidField(absl::StrCat("samples[", i, "].", field), rule);
  };
  if (sample.kind != "pingpong") {
    return invalid("kind", absl::StrCat("unknown kind \"", sample.kind, "\"; there is: pingpong"));
  }
  if (sample.pairs < 1 || sample.pairs > (int64_t{1} << 31)) {
    return invalid("pairs", absl::StrCat("must be 1 to 2^31, not ", sample.pairs));
  }
  if (sample.block_bytes < 0 || sample.block_bytes > (int64_t{1} << 62)) {
    return invalid("block_bytes", absl::StrCat("must be 0 to 2^62, not ", sample.block_bytes));
  }
  if (!std::isfinite(sample.time_s) || sample.time_s <= 0) {
    return invalid("time_s", absl::StrCat("must be finite and above 0, not ", sample.time_s));
  }
  return absl::OkStatus();
}

// One way of a ping-pong between two nodes (or within one), `pairs` at once: half of the ranks send
// one message, the others receive it.
void BuildOneWay(const Sample& sample, model::Schedule* schedule) {
  schedule->Clear();
  model::Phase& phase = schedule->Add();
  const auto bytes = static_cast<double>(sample.block_bytes);
  const auto pairs = static_cast<double>(sample.pairs);
  model::LevelTraffic traffic;
  traffic.sends_count = 1;
  traffic.receives_count = 1;
  traffic.out_bytes = bytes;
  traffic.in_bytes = bytes;
  traffic.max_message_bytes = bytes;
  traffic.pairs_count = pairs;
  traffic.messages_count = pairs;
  traffic.volume_bytes = pairs * bytes;
  if (sample.level == model::Level::kNetwork) {
    traffic.node_out_bytes = pairs * bytes;
    traffic.node_in_bytes = pairs * bytes;
  }
  phase.traffic.any = traffic;
  (sample.level == model::Level::kNetwork ? phase.traffic.network : phase.traffic.node) = traffic;
}

std::string NamesOf(const model::Model& model, absl::Span<const int> indices) {
  return absl::StrJoin(indices, ", ", [&](std::string* out, int index) {
    absl::StrAppend(out, model.parameters()[index].name);
  });
}

// The fit of one model at one level, into the calibration.
class LevelCalibration {
 public:
  LevelCalibration(const model::Model& model, model::Level level,
                   std::vector<const Sample*> samples, Calibration* calibration)
      : model_(model), level_(level), samples_(std::move(samples)), calibration_(*calibration) {}

  void Run() {
    std::vector<double> times_s;
    times_s.reserve(samples_.size());
    for (const Sample* sample : samples_) times_s.push_back(sample->time_s);
    auto schedule = std::make_unique<model::Schedule>();
    const ParameterFit fit =
        FitParameters(model_, level_, times_s, [&](size_t i) -> const model::Schedule& {
          BuildOneWay(*samples_[i], schedule.get());
          return *schedule;
        });
    if (fit.parameters.empty()) return;
    calibration_.fits.push_back({std::string(model_.id()), level_,
                                 static_cast<int64_t>(samples_.size()), fit.median_relative_error});
    for (const FittedParameter& parameter : fit.parameters) {
      if (parameter.identified) {
        Keep(parameter);
      } else {
        LeaveOut(parameter.index);
      }
    }
  }

 private:
  void Warn(absl::string_view text) {
    calibration_.warnings.push_back(
        absl::StrCat(model_.id(), " at level ", model::LevelName(level_), ": ", text));
  }

  void Set(int index, double value, double standard_error, std::string source) {
    model::Parameter parameter;
    parameter.model = std::string(model_.id());
    parameter.level = level_;
    parameter.name = std::string(model_.parameters()[index].name);
    parameter.value = value;
    parameter.stderr_ = standard_error;
    parameter.source = std::move(source);
    calibration_.profile.Set(std::move(parameter));
  }

  void Keep(const FittedParameter& parameter) {
    std::string source = absl::StrCat("calibrated: ", samples_.size(), " samples");
    if (!parameter.tied_to.empty()) {
      absl::StrAppend(&source, ", cost shared evenly with ", NamesOf(model_, parameter.tied_to));
      // Once for the group.
      if (parameter.index < parameter.tied_to.front()) {
        Warn(absl::StrCat("these samples do not tell ", model_.parameters()[parameter.index].name,
                          " from ", NamesOf(model_, parameter.tied_to),
                          "; the cost is shared evenly"));
      }
    }
    Set(parameter.index, parameter.value, parameter.stderr_, std::move(source));
  }

  void LeaveOut(int index) {
    const model::ParameterSpec& spec = model_.parameters()[index];
    Warn(absl::StrCat("these samples do not show ", spec.name,
                      spec.required ? ", without which it cannot be priced" : "; it is left out"));
  }

  const model::Model& model_;
  model::Level level_;
  std::vector<const Sample*> samples_;
  Calibration& calibration_;
};

}  // namespace

absl::StatusOr<Calibration> Calibrate(absl::Span<const Sample> samples) {
  if (samples.empty()) {
    return model::InvalidField("samples", "there must be at least one");
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    if (absl::Status status = Validate(samples[i], i); !status.ok()) return status;
  }
  Calibration calibration;
  for (model::Level level : {model::Level::kNode, model::Level::kNetwork}) {
    std::vector<const Sample*> of_level;
    for (const Sample& sample : samples) {
      if (sample.level == level) of_level.push_back(&sample);
    }
    if (of_level.empty()) continue;
    for (const model::Model* model : FittedModels()) {
      LevelCalibration(*model, level, of_level, &calibration).Run();
    }
  }
  const auto self_count = std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return sample.level == model::Level::kSelf;
  });
  if (self_count > 0) {
    calibration.warnings.push_back(absl::StrCat(
        self_count, " samples at level self are not used: no model prices a message to oneself"));
  }
  CopyMissingLevels(&calibration.profile, &calibration.warnings);
  return calibration;
}

}  // namespace cox::learn
