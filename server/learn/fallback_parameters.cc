#include "learn/fallback_parameters.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "learn/fitted_models.h"

namespace cox::learn {
namespace {

// Returns whether anything was taken.
bool CopyLevel(const model::Model& model, model::Level from, model::Level to,
               model::Profile* profile) {
  bool copied = false;
  for (const model::ParameterSpec& spec : model.parameters()) {
    if (spec.level != to || !spec.required) continue;
    if (profile->Find(model.id(), to, spec.name) != nullptr) continue;
    const model::Parameter* other = profile->Find(model.id(), from, spec.name);
    if (other == nullptr) continue;
    model::Parameter parameter = *other;
    parameter.level = to;
    parameter.stderr_ = parameter.value;
    parameter.source = absl::StrCat("assumed: as at level ", model::LevelName(from));
    profile->Set(std::move(parameter));
    copied = true;
  }
  return copied;
}

// Whether some parameter of the model is in the profile.
bool IsKnown(const model::Model& model, const model::Profile& profile) {
  return std::any_of(
      profile.parameters.begin(), profile.parameters.end(),
      [&](const model::Parameter& parameter) { return parameter.model == model.id(); });
}

}  // namespace

double TypicalValue(const model::ParameterSpec& spec) { return spec.unit == "s" ? 1e-6 : 1e-10; }

void CopyMissingLevels(model::Profile* profile, std::vector<std::string>* warnings) {
  for (const model::Model* model : model::Models()) {
    for (const auto& [from, to] : {std::pair(model::Level::kNode, model::Level::kNetwork),
                                   std::pair(model::Level::kNetwork, model::Level::kNode)}) {
      if (CopyLevel(*model, from, to, profile)) {
        warnings->push_back(absl::StrCat(model->id(), ": nothing was measured at level ",
                                         model::LevelName(to), "; it is taken to be like level ",
                                         model::LevelName(from)));
      }
    }
  }
}

void AssumeStatedSizes(model::Profile* profile) {
  for (const model::Model* model : FittedModels()) {
    if (!IsKnown(*model, *profile)) continue;
    for (const model::ParameterSpec& spec : model->parameters()) {
      if (!spec.required || !spec.stated || !(spec.default_value > 0)) continue;
      if (profile->Find(model->id(), spec.level, spec.name) != nullptr) continue;
      model::Parameter parameter;
      parameter.model = std::string(model->id());
      parameter.level = spec.level;
      parameter.name = std::string(spec.name);
      parameter.value = spec.default_value;
      parameter.source = "assumed: what the model is fitted with unless somebody states it";
      profile->Set(std::move(parameter));
    }
  }
}

}  // namespace cox::learn
