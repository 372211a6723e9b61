#include "cli/output/what_if_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/methods.h"

namespace cox::cli {
namespace {

struct Meant {
  std::string model;
  const v1::ParameterSpec* spec;
};

// The parameters that "name", "model.name" or "model.level.name" means.
std::vector<Meant> MeantBy(const v1::ListModelsResponse& models, const std::string& name) {
  const std::vector<std::string> parts = absl::StrSplit(name, '.');
  std::vector<Meant> meant;
  for (const v1::Model& model : models.models()) {
    if (parts.size() > 1 && parts.front() != model.id()) continue;
    for (const v1::ParameterSpec& spec : model.parameters()) {
      if (spec.name() != parts.back()) continue;
      if (parts.size() == 3 && parts[1] != spec.level()) continue;
      meant.push_back({model.id(), &spec});
    }
  }
  return meant;
}

}  // namespace

absl::Status CheckSizes(const v1::ListModelsResponse& models, const WhatIfOptions& options) {
  for (const std::string& name : options.sizes) {
    const std::vector<Meant> meant = MeantBy(models, name);
    const bool is_in_seconds =
        !meant.empty() && std::all_of(meant.begin(), meant.end(), [](const Meant& one) {
          return one.spec->unit() == "s" || absl::StartsWith(one.spec->unit(), "s/");
        });
    if (!is_in_seconds) continue;
    const std::string& unit = meant.front().spec->unit();
    return absl::InvalidArgumentError(absl::StrCat("--what-if: ", name, " is in ", unit,
                                                   ", not in bytes: write a time such as ",
                                                   unit == "s" ? "1us" : "1ns/B"));
  }
  return absl::OkStatus();
}

std::vector<std::string> IdleChanges(const v1::ListModelsResponse& models,
                                     const WhatIfOptions& options,
                                     const std::set<std::string>& used) {
  std::vector<std::string> notes;
  if (used.empty()) return notes;
  for (const v1::WhatIf& change : options.changes) {
    const std::vector<Meant> meant = MeantBy(models, change.parameter());
    const bool is_used = std::any_of(meant.begin(), meant.end(),
                                     [&](const Meant& one) { return used.contains(one.model); });
    if (is_used || meant.empty()) continue;
    notes.push_back(absl::StrCat("note: --what-if ", change.parameter(),
                                 " changes nothing here: the answer is of model ",
                                 absl::StrJoin(used, ", "), "; add --model ", meant.front().model));
  }
  return notes;
}

absl::Status WhatIfCheck::Begin(Session& session) {
  if (options_.changes.empty()) return absl::OkStatus();
  absl::Status status = session.connection().Call(kListModels, v1::ListModelsRequest(), models_);
  return status.ok() ? CheckSizes(models_, options_) : status;
}

void WhatIfCheck::Note(Session& session) const {
  for (const std::string& note : IdleChanges(models_, options_, used_)) session.Note(note);
}

}  // namespace cox::cli
