#include "advise/what_if.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "model/errors.h"

namespace cox::advise {
namespace {

using Parts = std::vector<absl::string_view>;

// Whether "name", "model.name" or "model.level.name", taken apart, means this parameter.
bool Means(const Parts& parts, const model::Model& model, const model::ParameterSpec& spec) {
  if (parts.back() != spec.name) return false;
  if (parts.size() > 1 && parts.front() != model.id()) return false;
  return parts.size() < 3 || parts[1] == model::LevelName(spec.level);
}

std::string FullName(const model::Model& model, const model::ParameterSpec& spec) {
  return absl::StrCat(model.id(), ".", model::LevelName(spec.level), ".", spec.name);
}

// The parameters that could have been meant: those of the model that the name begins with,
// otherwise those that the profile has.
std::string Known(const Parts& parts, const model::Profile& profile) {
  std::vector<std::string> names;
  for (const model::Model* model : model::Models()) {
    const bool named = parts.size() > 1 && parts.front() == model->id();
    for (const model::ParameterSpec& spec : model->parameters()) {
      const bool has = profile.Find(model->id(), spec.level, spec.name) != nullptr;
      if (named || (parts.size() == 1 && has)) names.push_back(FullName(*model, spec));
    }
  }
  if (!names.empty()) {
    return absl::StrCat(parts.size() > 1 ? "the model has " : "the profile has ",
                        absl::StrJoin(names, ", "));
  }
  for (const model::Model* model : model::Models()) names.emplace_back(model->id());
  return absl::StrCat("a name is \"name\", \"model.name\" or \"model.level.name\", the models are ",
                      absl::StrJoin(names, ", "));
}

// Changes what the profile says of one parameter. False where it has nothing that a factor could
// multiply.
bool Apply(const Change& change, const model::Model& model, const model::ParameterSpec& spec,
           model::Profile* profile) {
  const auto is_meant = [&](const model::Parameter& parameter) {
    return parameter.level == spec.level && parameter.name == spec.name &&
           parameter.model == model.id();
  };
  const std::string source = "what if";
  if (change.kind == Change::Kind::kValue) {
    std::erase_if(profile->parameters, is_meant);
    profile->parameters.push_back({.model = std::string(model.id()),
                                   .level = spec.level,
                                   .name = std::string(spec.name),
                                   .value = change.amount,
                                   .source = source});
    return true;
  }
  bool found = false;
  for (model::Parameter& parameter : profile->parameters) {
    if (!is_meant(parameter)) continue;
    found = true;
    parameter.value *= change.amount;
    parameter.stderr_ *= change.amount;
    parameter.source = absl::StrCat(source, " times ", change.amount,
                                    parameter.source.empty() ? "" : ": ", parameter.source);
  }
  return found;
}

absl::Status ApplyAll(const Change& change, const std::string& field, model::Profile* profile) {
  const bool is_value = change.kind == Change::Kind::kValue;
  const std::string amount_field = absl::StrCat(field, is_value ? "value" : "factor");
  if (!std::isfinite(change.amount) || change.amount < 0) {
    return model::InvalidField(amount_field,
                               absl::StrCat(change.amount, " is not a finite number >= 0"));
  }
  const Parts parts = absl::StrSplit(change.parameter, '.');
  bool meant = false;
  bool applied = false;
  for (const model::Model* model : model::Models()) {
    for (const model::ParameterSpec& spec : model->parameters()) {
      if (parts.size() > 3 || !Means(parts, *model, spec)) continue;
      meant = true;
      applied |= Apply(change, *model, spec, profile);
    }
  }
  if (!meant) {
    return model::InvalidField(absl::StrCat(field, "parameter"),
                               absl::StrCat("no model has a parameter \"", change.parameter,
                                            "\": ", Known(parts, *profile)));
  }
  if (!applied) {
    return model::InvalidField(
        absl::StrCat(field, "parameter"),
        absl::StrCat("the profile does not have \"", change.parameter,
                     "\", so that a factor has nothing to multiply; give a value"));
  }
  for (const model::Parameter& parameter : profile->parameters) {
    if (std::isfinite(parameter.value)) continue;
    return model::InvalidField(amount_field, absl::StrCat("makes ", parameter.model, ".",
                                                          parameter.name, " larger than a double"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MachineView>> WithChanges(
    std::shared_ptr<const MachineView> machine, absl::Span<const Change> changes) {
  if (changes.empty()) return machine;
  if (changes.size() > kMaxChanges) {
    return model::InvalidField(
        "what_if", absl::StrCat("at most ", kMaxChanges, "; there are ", changes.size()));
  }
  auto changed = std::make_shared<MachineView>();
  changed->name = machine->name;
  changed->nodes = machine->nodes;
  changed->cores_per_node = machine->cores_per_node;
  changed->revision = machine->revision;
  changed->profile = machine->profile;
  changed->corrections = machine->corrections;
  for (size_t i = 0; i < changes.size(); ++i) {
    const absl::Status applied =
        ApplyAll(changes[i], absl::StrCat("what_if[", i, "]."), &changed->profile);
    if (!applied.ok()) return applied;
  }
  const absl::Span<const model::Model* const> models = model::Models();
  changed->values.resize(models.size());
  for (size_t i = 0; i < models.size(); ++i) {
    auto values = model::ValuesFor(*models[i], changed->profile);
    if (!values.ok()) continue;
    changed->values[i] = *std::move(values);
    const bool speaks =
        machine->model == nullptr ? changed->model == nullptr : machine->model == models[i];
    if (!speaks) continue;
    changed->model = models[i];
    changed->model_values = &changed->values[i];
  }
  return std::shared_ptr<const MachineView>(std::move(changed));
}

}  // namespace cox::advise
