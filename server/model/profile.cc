#include "model/profile.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/errors.h"

namespace cox::model {
namespace {

const ParameterSpec* FindSpec(const Model& model, Level level, absl::string_view name) {
  for (const ParameterSpec& spec : model.parameters()) {
    if (spec.level == level && spec.name == name) return &spec;
  }
  return nullptr;
}

bool IsFiniteAndNotNegative(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace

const Parameter* Profile::Find(absl::string_view model, Level level, absl::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.level == level && parameter.name == name && parameter.model == model) {
      return &parameter;
    }
  }
  return nullptr;
}

void Profile::Set(Parameter parameter) {
  for (Parameter& old : parameters) {
    if (old.level == parameter.level && old.name == parameter.name &&
        old.model == parameter.model) {
      old = std::move(parameter);
      return;
    }
  }
  parameters.push_back(std::move(parameter));
}

absl::string_view LevelName(Level level) {
  switch (level) {
    case Level::kSelf:
      return "self";
    case Level::kNode:
      return "node";
    case Level::kNetwork:
      return "network";
  }
  return "";
}

absl::StatusOr<Level> ParseLevel(absl::string_view name) {
  for (Level level : {Level::kSelf, Level::kNode, Level::kNetwork}) {
    if (name == LevelName(level)) return level;
  }
  return InvalidField("level", absl::StrCat("\"", name, "\" is not self, node or network"));
}

absl::StatusOr<std::vector<double>> ValuesFor(const Model& model, const Profile& profile) {
  std::vector<double> values;
  values.reserve(model.parameters().size());
  for (const ParameterSpec& spec : model.parameters()) {
    const Parameter* parameter = profile.Find(model.id(), spec.level, spec.name);
    if (parameter == nullptr && spec.required) {
      return absl::FailedPreconditionError(
          absl::StrCat("model \"", model.id(), "\" needs parameter ", LevelName(spec.level), ".",
                       spec.name, ", which the profile does not have: calibrate the machine"));
    }
    values.push_back(parameter != nullptr ? parameter->value : spec.default_value);
  }
  return values;
}

absl::Status Validate(const Profile& profile) {
  for (size_t i = 0; i < profile.parameters.size(); ++i) {
    const Parameter& parameter = profile.parameters[i];
    const std::string field = absl::StrCat("parameters[", i, "].");
    const absl::StatusOr<const Model*> model = FindModel(parameter.model);
    if (!model.ok()) return InvalidField(field + "model", model.status().message());
    if (FindSpec(**model, parameter.level, parameter.name) == nullptr) {
      return InvalidField(field + "name",
                          absl::StrCat("model \"", parameter.model, "\" has no parameter \"",
                                       parameter.name, "\" at level ", LevelName(parameter.level)));
    }
    if (!IsFiniteAndNotNegative(parameter.value)) {
      return InvalidField(field + "value",
                          absl::StrCat(parameter.value, " is not a finite number >= 0"));
    }
    if (!IsFiniteAndNotNegative(parameter.stderr_)) {
      return InvalidField(field + "stderr",
                          absl::StrCat(parameter.stderr_, " is not a finite number >= 0"));
    }
  }
  return absl::OkStatus();
}

}  // namespace cox::model
