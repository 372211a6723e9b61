#include "advise/what_if.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "advise/caveats.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "model/profile.h"

namespace cox::advise {
namespace {

using Parts = std::vector<absl::string_view>;

// Whether the parts of "name", "model.name" or "model.level.name" match this parameter.
bool Means(const Parts& parts, const model::Model& model, const model::ParameterSpec& spec) {
  if (parts.back() != spec.name) return false;
  if (parts.size() > 1 && parts.front() != model.id()) return false;
  return parts.size() < 3 || parts[1] == domain::LevelName(spec.level);
}

std::string FullName(const model::Model& model, const model::ParameterSpec& spec) {
  return absl::StrCat(model.id(), ".", domain::LevelName(spec.level), ".", spec.name);
}

// What an unknown name could mean: the parameters of the model that it begins with, otherwise those
// that the profile has.
std::string Known(const Parts& parts, const domain::Profile& profile) {
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

struct Target {
  const model::Model* model;
  const model::ParameterSpec* spec;

  bool Is(const domain::Parameter& parameter) const {
    return parameter.level == spec->level && parameter.name == spec->name &&
           parameter.model == model->id();
  }
};

std::vector<Target> TargetsOf(const Parts& parts) {
  std::vector<Target> targets;
  if (parts.size() > 3) return targets;
  for (const model::Model* model : model::Models()) {
    for (const model::ParameterSpec& spec : model->parameters()) {
      if (Means(parts, *model, spec)) targets.push_back({model, &spec});
    }
  }
  return targets;
}

void SetValue(const Target& target, double value, domain::Profile* profile) {
  std::erase_if(profile->parameters,
                [&](const domain::Parameter& parameter) { return target.Is(parameter); });
  profile->parameters.push_back({.model = std::string(target.model->id()),
                                 .level = target.spec->level,
                                 .name = std::string(target.spec->name),
                                 .value = value,
                                 .source = "what if"});
}

void Multiply(const Target& target, double factor, domain::Profile* profile) {
  for (domain::Parameter& parameter : profile->parameters) {
    if (!target.Is(parameter)) continue;
    parameter.value *= factor;
    parameter.stderr_ *= factor;
    parameter.source = absl::StrCat("what if times ", factor, parameter.source.empty() ? "" : ": ",
                                    parameter.source);
  }
}

absl::Status ApplyAll(const Change& change, const std::string& field, domain::Profile* profile) {
  const bool is_value = change.kind == Change::Kind::kValue;
  const std::string amount_field = absl::StrCat(field, is_value ? "value" : "factor");
  if (!std::isfinite(change.amount) || change.amount < 0) {
    return domain::InvalidField(amount_field,
                                absl::StrCat(change.amount, " is not a finite number >= 0"));
  }
  const Parts parts = absl::StrSplit(change.parameter, '.');
  const std::vector<Target> all = TargetsOf(parts);
  if (all.empty()) {
    return domain::InvalidField(absl::StrCat(field, "parameter"),
                                absl::StrCat("no model has a parameter \"", change.parameter,
                                             "\": ", Known(parts, *profile)));
  }
  std::vector<Target> there;
  for (const Target& target : all) {
    if (profile->Find(target.model->id(), target.spec->level, target.spec->name) != nullptr) {
      there.push_back(target);
    }
  }
  if (there.empty() && !is_value) {
    return domain::InvalidField(absl::StrCat(field, "parameter"),
                                absl::StrCat("the profile does not have \"", change.parameter,
                                             "\": a factor has nothing to multiply; give a value"));
  }
  for (const Target& target : there.empty() ? all : there) {
    if (is_value) {
      SetValue(target, change.amount, profile);
    } else {
      Multiply(target, change.amount, profile);
    }
  }
  for (const Target& target : there.empty() ? all : there) {
    const domain::Parameter* changed =
        profile->Find(target.model->id(), target.spec->level, target.spec->name);
    absl::Status allowed = model::CheckAllowed(*changed, amount_field);
    if (!allowed.ok()) return allowed;
  }
  for (const domain::Parameter& parameter : profile->parameters) {
    if (std::isfinite(parameter.value)) continue;
    return domain::InvalidField(
        amount_field,
        absl::StrCat("makes ", parameter.model, ".", parameter.name, " larger than a double"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MachineView>> WithChanges(
    std::shared_ptr<const MachineView> machine, absl::Span<const Change> changes) {
  if (changes.empty()) return machine;
  if (changes.size() > kMaxChanges) {
    return domain::InvalidField(
        "what_if", absl::StrCat("at most ", kMaxChanges, "; there are ", changes.size()));
  }
  auto changed = std::make_shared<MachineView>();
  changed->name = machine->name;
  changed->nodes = machine->nodes;
  changed->cores_per_node = machine->cores_per_node;
  changed->revision = machine->revision;
  changed->profile = machine->profile;
  changed->corrections = machine->corrections;
  changed->accuracy = machine->accuracy;
  changed->timed = machine->timed;
  changed->is_what_if = true;
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
    const bool was_finite =
        machine->values[i].empty() || model::KeepsTimesFinite(*models[i], machine->values[i]);
    if (was_finite && !model::KeepsTimesFinite(*models[i], *values)) {
      return domain::InvalidField(
          "what_if",
          absl::StrCat("makes times larger than a double (model ", models[i]->id(), ")"));
    }
    changed->values[i] = *std::move(values);
    const bool selected =
        machine->model == nullptr ? changed->model == nullptr : machine->model == models[i];
    if (!selected) continue;
    changed->model = models[i];
    changed->model_values = &changed->values[i];
  }
  changed->assumed = AssumedLevels(*changed);
  return std::shared_ptr<const MachineView>(std::move(changed));
}

}  // namespace cox::advise
