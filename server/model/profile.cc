#include "model/profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/limits.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "model/schedule.h"

namespace cox::model {
namespace {

// A parameter with all its pieces.
using Whole = std::tuple<absl::string_view, domain::Level, absl::string_view>;

Whole WholeOf(const domain::Parameter& piece) { return {piece.model, piece.level, piece.name}; }

const ParameterSpec* FindSpec(const Model& model, domain::Level level, absl::string_view name) {
  for (const ParameterSpec& spec : model.parameters()) {
    if (spec.level == level && spec.name == name) return &spec;
  }
  return nullptr;
}

// Adds the further pieces of the last parameter of `values`.
void AddPieces(const Model& model, const ParameterSpec& spec, const domain::Profile& profile,
               ParameterValues* values) {
  const auto first = static_cast<std::ptrdiff_t>(values->pieces.size());
  for (const domain::Parameter& parameter : profile.parameters) {
    if (parameter.above > 0 && parameter.level == spec.level && parameter.name == spec.name &&
        parameter.model == model.id()) {
      values->pieces.push_back({values->base.size() - 1, parameter.above, parameter.value});
    }
  }
  std::sort(values->pieces.begin() + first, values->pieces.end(),
            [](const Piece& a, const Piece& b) { return a.above < b.above; });
}

// Beyond what the largest question has: messages of a rank, bytes of one, hops, and what a rank
// does itself; and the steps of a schedule.
constexpr double kMostMessages = 1e20;
constexpr double kMostMessageBytes = 1e30;
constexpr double kMostHops = 1e10;
constexpr double kMostWork = 1e50;
constexpr double kMostSteps = 1e30;

// Steps in which each rank sends and receives so many messages of this size.
Phase StepsOf(double messages, double message_bytes) {
  Phase phase;
  phase.times = kMostSteps;
  const auto ranks = static_cast<double>(domain::kMaxRanks);
  const double bytes = messages * message_bytes;
  for (LevelTraffic* level : {&phase.traffic.node, &phase.traffic.network}) {
    level->sends_count = level->receives_count = messages;
    level->out_bytes = level->in_bytes = bytes;
    level->max_message_bytes = message_bytes;
    level->pairs_count = level->messages_count = ranks * messages;
    level->volume_bytes = level->node_out_bytes = level->node_in_bytes = ranks * bytes;
  }
  phase.traffic.any = phase.traffic.network;
  phase.work = {kMostWork, kMostWork, kMostWork, kMostWork};
  return phase;
}

bool IsFiniteAndNotNegative(double value) { return std::isfinite(value) && value >= 0; }

absl::Status ValidateParameter(const domain::Parameter& parameter, const std::string& field) {
  const absl::StatusOr<const Model*> model = FindModel(parameter.model);
  if (!model.ok()) return domain::InvalidField(field + "model", model.status().message());
  const ParameterSpec* spec = FindSpec(**model, parameter.level, parameter.name);
  if (spec == nullptr) {
    return domain::InvalidField(
        field + "name",
        absl::StrCat("model \"", parameter.model, "\" has no parameter \"", parameter.name,
                     "\" at level ", domain::LevelName(parameter.level)));
  }
  const std::pair<absl::string_view, double> numbers[] = {
      {"value", parameter.value}, {"stderr", parameter.stderr_}, {"above", parameter.above}};
  for (const auto& [name, number] : numbers) {
    if (!IsFiniteAndNotNegative(number)) {
      return domain::InvalidField(absl::StrCat(field, name),
                                  absl::StrCat(number, " is not a finite number >= 0"));
    }
  }
  if (absl::Status allowed = CheckAllowed(parameter, field + "value"); !allowed.ok()) {
    return allowed;
  }
  if (parameter.above > 0 && spec->argument.empty()) {
    return domain::InvalidField(
        field + "above", absl::StrCat("\"", parameter.name, "\" of model \"", parameter.model,
                                      "\" is constant: it has one value, from 0 on"));
  }
  if (!parameter.relation.empty() && parameter.relation != "<=" && parameter.relation != "sum") {
    return domain::InvalidField(field + "relation", absl::StrCat("\"", parameter.relation,
                                                                 "\" is not <= or sum (or empty)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckAllowed(const domain::Parameter& parameter, absl::string_view field) {
  const absl::StatusOr<const Model*> model = FindModel(parameter.model);
  const ParameterSpec* spec =
      model.ok() ? FindSpec(**model, parameter.level, parameter.name) : nullptr;
  if (spec == nullptr) return absl::OkStatus();
  const auto name = [&] { return absl::StrCat(parameter.model, ".", parameter.name); };
  if (spec->unit == "byte" && parameter.value < 1) {
    return domain::InvalidField(
        field, absl::StrCat(parameter.value, " is less than 1, the least ", name()));
  }
  if (spec->unit == "0 or 1" && parameter.value != 0 && parameter.value != 1) {
    return domain::InvalidField(
        field, absl::StrCat(parameter.value, " is not 0 or 1, as ", name(), " is"));
  }
  return absl::OkStatus();
}

bool KeepsTimesFinite(const Model& model, const ParameterValues& values) {
  // One size for each piece of a parameter.
  std::set<double> sizes = {0, kMostMessageBytes};
  for (const Piece& piece : values.pieces) {
    if (piece.above >= kMostMessageBytes) continue;
    sizes.insert(std::nextafter(piece.above, std::numeric_limits<double>::infinity()));
  }
  Schedule schedule;
  for (const double bytes : sizes) {
    schedule.Clear({static_cast<double>(domain::kMaxRanks), 1, kMostHops});
    for (const double messages : {1.0, kMostMessages}) schedule.Add() = StepsOf(messages, bytes);
    const Cost cost = model.Price(values, schedule);
    if (!std::isfinite(cost.TotalSeconds()) || !std::isfinite(cost.units)) return false;
  }
  return true;
}

absl::StatusOr<ParameterValues> ValuesFor(const Model& model, const domain::Profile& profile) {
  ParameterValues values;
  values.base.reserve(model.parameters().size());
  for (const ParameterSpec& spec : model.parameters()) {
    const domain::Parameter* parameter = profile.Find(model.id(), spec.level, spec.name);
    if (parameter == nullptr && spec.required) {
      return absl::FailedPreconditionError(
          absl::StrCat("model \"", model.id(), "\" needs parameter ", domain::LevelName(spec.level),
                       ".", spec.name, ", which the profile does not have: calibrate the machine"));
    }
    values.base.push_back(parameter != nullptr ? parameter->value : spec.default_value);
    if (!spec.argument.empty()) AddPieces(model, spec, profile, &values);
  }
  return values;
}

absl::Status Validate(const domain::Profile& profile) {
  std::map<Whole, std::set<double>> pieces;
  for (size_t i = 0; i < profile.parameters.size(); ++i) {
    const domain::Parameter& parameter = profile.parameters[i];
    const std::string field = absl::StrCat("parameters[", i, "].");
    absl::Status status = ValidateParameter(parameter, field);
    if (!status.ok()) return status;
    std::set<double>& borders = pieces[WholeOf(parameter)];
    if (!borders.insert(parameter.above).second) {
      return domain::InvalidField(
          field + "above", absl::StrCat("another value of \"", parameter.name, "\" of model \"",
                                        parameter.model, "\" applies above ", parameter.above));
    }
    if (borders.size() > kMaxPieces) {
      return domain::InvalidField(
          field + "above", absl::StrCat("\"", parameter.name, "\" of model \"", parameter.model,
                                        "\" has more than ", kMaxPieces, " pieces"));
    }
  }
  for (const Model* model : Models()) {
    const absl::StatusOr<ParameterValues> values = ValuesFor(*model, profile);
    if (values.ok() && !KeepsTimesFinite(*model, *values)) {
      return domain::InvalidField(
          "parameters", absl::StrCat("values of model \"", model->id(),
                                     "\" are so large that times are larger than a double"));
    }
  }
  return absl::OkStatus();
}

void LimitPieces(domain::Profile* profile) {
  std::map<Whole, std::map<double, size_t>> pieces;  // index of each piece
  for (size_t i = 0; i < profile->parameters.size(); ++i) {
    const domain::Parameter& parameter = profile->parameters[i];
    pieces[WholeOf(parameter)].emplace(parameter.above, i);
  }
  std::set<size_t> kept;
  for (const auto& [whole, borders] : pieces) {
    const size_t steps = std::min(borders.size(), kMaxPieces) - 1;
    size_t place = 0;
    size_t taken = 0;
    for (const auto& [above, index] : borders) {
      if (place++ * steps >= taken * (borders.size() - 1)) {
        kept.insert(index);
        ++taken;
      }
    }
  }
  if (kept.size() == profile->parameters.size()) return;
  std::vector<domain::Parameter> left;
  left.reserve(kept.size());
  for (const size_t index : kept) left.push_back(std::move(profile->parameters[index]));
  profile->parameters = std::move(left);
}

}  // namespace cox::model
