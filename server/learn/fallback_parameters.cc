#include "learn/fallback_parameters.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "learn/fitted_models.h"

namespace cox::learn {
namespace {

constexpr absl::string_view kCopiedSource = "assumed: as at level ";

// Returns whether a parameter was copied.
bool CopyLevel(const model::Model& model, domain::Level from, domain::Level to,
               domain::Profile* profile) {
  bool copied = false;
  for (const model::ParameterSpec& spec : model.parameters()) {
    if (spec.level != to || !spec.required) continue;
    if (profile->Find(model.id(), to, spec.name) != nullptr) continue;
    const domain::Parameter* other = profile->Find(model.id(), from, spec.name);
    if (other == nullptr) continue;
    domain::Parameter parameter = *other;
    parameter.level = to;
    parameter.stderr_ = parameter.value;
    parameter.source = absl::StrCat(kCopiedSource, domain::LevelName(from));
    profile->Set(std::move(parameter));
    copied = true;
  }
  return copied;
}

// Whether the profile has any parameter of the model.
bool IsKnown(const model::Model& model, const domain::Profile& profile) {
  return std::any_of(
      profile.parameters.begin(), profile.parameters.end(),
      [&](const domain::Parameter& parameter) { return parameter.model == model.id(); });
}

}  // namespace

double TypicalValue(const model::ParameterSpec& spec) { return spec.unit == "s" ? 1e-6 : 1e-10; }

void CopyMissingLevels(domain::Profile* profile, std::vector<std::string>* warnings) {
  for (const model::Model* model : model::Models()) {
    for (const auto& [from, to] : {std::pair(domain::Level::kNode, domain::Level::kNetwork),
                                   std::pair(domain::Level::kNetwork, domain::Level::kNode)}) {
      if (CopyLevel(*model, from, to, profile)) {
        warnings->push_back(absl::StrCat(model->id(), ": no measurement at level ",
                                         domain::LevelName(to), "; assumes the values of level ",
                                         domain::LevelName(from)));
      }
    }
  }
}

bool HasNodeLevel(const model::Model& model) {
  const auto specs = model.parameters();
  return std::any_of(specs.begin(), specs.end(), [](const model::ParameterSpec& spec) {
    return spec.level == domain::Level::kNode;
  });
}

bool IsCopied(const domain::Parameter& parameter) {
  return absl::StartsWith(parameter.source, kCopiedSource);
}

void AssumeStatedSizes(domain::Profile* profile) {
  for (const model::Model* model : FittedModels()) {
    if (!IsKnown(*model, *profile)) continue;
    for (const model::ParameterSpec& spec : model->parameters()) {
      if (!spec.required || !spec.stated || !(spec.default_value > 0)) continue;
      if (profile->Find(model->id(), spec.level, spec.name) != nullptr) continue;
      domain::Parameter parameter;
      parameter.model = std::string(model->id());
      parameter.level = spec.level;
      parameter.name = std::string(spec.name);
      parameter.value = spec.default_value;
      parameter.source = "assumed: the value that the model is fitted with";
      profile->Set(std::move(parameter));
    }
  }
}

}  // namespace cox::learn
