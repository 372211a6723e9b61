#include "learn/calibrate/fit_record.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "domain/words/counted.h"
#include "learn/calibrate/buffer_limit.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/median.h"

namespace cox::learn {

FitRecord::FitRecord(const model::Model& model, domain::Level level, domain::Level sample_level,
                     Calibration* calibration)
    : model_(model), level_(level), sample_level_(sample_level), calibration_(*calibration) {
  report_.model = std::string(model.id());
  report_.level = level;
}

void FitRecord::AddRegime(const ParameterFit& fit, size_t sample_count, double above) {
  if (above > 0) report_.breakpoints_bytes.push_back(above);
  errors_.insert(errors_.end(), fit.relative_errors.begin(), fit.relative_errors.end());
  for (const FittedParameter& parameter : fit.parameters) {
    if (parameter.identified) {
      Keep(parameter, sample_count, above);
    } else if (above == 0) {
      LeaveOut(parameter, sample_count);
    }
  }
}

void FitRecord::AddSetting(const Setting& setting, size_t sample_count) {
  Set(setting.index, setting.value, 0, 0,
      absl::StrCat("calibrated: chosen to fit ",
                   domain::Counted(static_cast<int64_t>(sample_count), "sample")));
}

void FitRecord::AddBufferLimit(absl::Span<const Sample* const> samples) {
  const int buffer = IndexOf(model_, level_, "B_L");
  if (buffer < 0) return;
  const domain::Parameter* gap = calibration_.profile.Find(model_.id(), level_, "g_r");
  const domain::Parameter* per_byte = calibration_.profile.Find(model_.id(), level_, "g_r_byte");
  // Of the size that comes last: floods of several sizes fill the buffer at different numbers.
  const auto last = std::find_if(samples.rbegin(), samples.rend(),
                                 [](const Sample* sample) { return sample->kind == "flood"; });
  if (last == samples.rend()) return;
  const auto bytes = static_cast<double>((*last)->block_bytes);
  std::vector<Flood> floods;
  for (const Sample* sample : samples) {
    if (sample->kind != "flood" || sample->block_bytes != (*last)->block_bytes) continue;
    floods.push_back({static_cast<double>(sample->messages), sample->time_s});
  }
  if (gap == nullptr) return;
  const double gap_s = gap->value + (per_byte != nullptr ? per_byte->value * bytes : 0);
  if (const auto limit = BufferLimit(floods, gap_s)) {
    Set(buffer, *limit, 0.1 * *limit, 0,
        absl::StrCat("calibrated: ", floods.size(), " floods of messages of ", bytes, " B"));
    return;
  }
  NotIdentified(buffer);
  Warn("the floods did not fill a buffer; B_L is left out: no limit");
}

void FitRecord::Warn(absl::string_view text) {
  calibration_.warnings.push_back(
      absl::StrCat(model_.id(), " at level ", domain::LevelName(level_), ": ", text));
}

void FitRecord::Finish(size_t sample_count) {
  report_.sample_count = static_cast<int64_t>(sample_count);
  report_.median_relative_error = MedianOf(std::move(errors_));
  calibration_.fits.push_back(std::move(report_));
}

void FitRecord::Keep(const FittedParameter& parameter, size_t sample_count, double above) {
  const bool is_piecewise = !model_.parameters()[parameter.index].argument.empty();
  if (above > 0 && !is_piecewise) return;
  std::string source =
      absl::StrCat("calibrated: ", domain::Counted(static_cast<int64_t>(sample_count), "sample"));
  if (!parameter.tied_to.empty()) {
    NotIdentified(parameter.index);
    absl::StrAppend(&source, ", cost shared evenly with ", NamesOf(parameter.tied_to));
    // One warning for the group.
    if (above == 0 && parameter.index < parameter.tied_to.front()) {
      Warn(absl::StrCat("these samples do not tell ", model_.parameters()[parameter.index].name,
                        " from ", NamesOf(parameter.tied_to), "; the cost is shared evenly"));
    }
  }
  Set(parameter.index, parameter.value, parameter.stderr_, above, std::move(source));
}

void FitRecord::LeaveOut(const FittedParameter& parameter, size_t sample_count) {
  const model::ParameterSpec& spec = model_.parameters()[parameter.index];
  NotIdentified(parameter.index);
  if (spec.required && std::isfinite(parameter.bound)) {
    Warn(absl::StrCat("these samples do not show ", spec.name,
                      ": something slower always hides it; it is only bounded"));
    Set(parameter.index, parameter.bound, parameter.bound, 0,
        absl::StrCat("calibrated: bounded by ",
                     domain::Counted(static_cast<int64_t>(sample_count), "sample")),
        "<=");
    return;
  }
  Warn(absl::StrCat("these samples do not show ", spec.name,
                    spec.required ? ", without which it cannot be priced" : "; it is left out"));
}

void FitRecord::NotIdentified(int index) {
  const std::string name(model_.parameters()[index].name);
  auto& names = report_.not_identified;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string FitRecord::NamesOf(absl::Span<const int> indices) const {
  return absl::StrJoin(indices, ", ", [&](std::string* out, int index) {
    absl::StrAppend(out, model_.parameters()[index].name);
  });
}

void FitRecord::Set(int index, double value, double standard_error, double above,
                    std::string source, std::string relation) {
  if (sample_level_ != level_) {
    absl::StrAppend(&source, " at level ", domain::LevelName(sample_level_));
  }
  domain::Parameter parameter;
  parameter.model = std::string(model_.id());
  parameter.level = level_;
  parameter.name = std::string(model_.parameters()[index].name);
  parameter.value = value;
  parameter.stderr_ = standard_error;
  parameter.above = above;
  parameter.source = std::move(source);
  parameter.relation = std::move(relation);
  calibration_.profile.Set(std::move(parameter));
}

}  // namespace cox::learn
