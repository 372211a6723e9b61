#include "cli/output/what_if_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/methods.h"

namespace cox::cli {
namespace {

constexpr char kTime[] = "s";
constexpr char kTimePerByte[] = "s/byte";
constexpr char kSize[] = "byte";

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

// A size is also a way to write a large number: a rate, or a count of packets.
bool Takes(const v1::ParameterSpec& spec, absl::string_view unit) {
  const bool is_time = spec.unit() == kTime || spec.unit() == kTimePerByte;
  return spec.unit() == unit || (unit == kSize && !is_time);
}

absl::string_view ExampleOf(absl::string_view unit) {
  if (unit == kTime) return "1us";
  if (unit == kTimePerByte) return "1ns/B";
  return unit == kSize ? "4KiB" : "8";
}

}  // namespace

absl::Status CheckUnits(const v1::ListModelsResponse& models, const WhatIfOptions& options) {
  for (const auto& [name, unit] : options.units) {
    const std::vector<Meant> meant = MeantBy(models, name);
    const bool is_taken = std::any_of(meant.begin(), meant.end(), [&unit = unit](const Meant& one) {
      return Takes(*one.spec, unit);
    });
    if (is_taken || meant.empty()) continue;
    const std::string& right = meant.front().spec->unit();
    return absl::InvalidArgumentError(absl::StrCat("--what-if: ", name, " is in '", right,
                                                   "', not in '", unit, "': write for example ",
                                                   name, "=", ExampleOf(right)));
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
  return status.ok() ? CheckUnits(models_, options_) : status;
}

void WhatIfCheck::Note(Session& session) const {
  for (const std::string& note : IdleChanges(models_, options_, used_)) session.Note(note);
}

}  // namespace cox::cli
