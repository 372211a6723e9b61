#include "cli/output/missing_parameters.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace cox::cli {
namespace {

bool HasParameter(const v1::Profile& profile, const v1::Model& model,
                  const v1::ParameterSpec& spec) {
  return std::any_of(profile.parameters().begin(), profile.parameters().end(),
                     [&](const v1::Parameter& parameter) {
                       return parameter.model() == model.id() &&
                              parameter.level() == spec.level() &&
                              parameter.name() == spec.name() && parameter.above() == 0;
                     });
}

}  // namespace

std::string MissingParameters(const v1::ListModelsResponse& models, const v1::Profile& profile) {
  std::string nearest;
  std::vector<std::string> fewest;
  for (const v1::Model& model : models.models()) {
    const bool is_stated = std::any_of(
        profile.parameters().begin(), profile.parameters().end(),
        [&](const v1::Parameter& parameter) { return parameter.model() == model.id(); });
    if (!is_stated) continue;
    std::vector<std::string> missing;
    for (const v1::ParameterSpec& spec : model.parameters()) {
      if (spec.required() && !HasParameter(profile, model, spec)) {
        missing.push_back(absl::StrCat(spec.level(), ".", spec.name()));
      }
    }
    if (missing.empty()) return "";
    if (!nearest.empty() && missing.size() >= fewest.size()) continue;
    nearest = model.id();
    fewest = std::move(missing);
  }
  if (nearest.empty()) return "";
  return absl::StrCat(nearest, " needs ", absl::StrJoin(fewest, ", "));
}

}  // namespace cox::cli
