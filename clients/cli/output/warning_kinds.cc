#include "cli/output/warning_kinds.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace cox::cli {
namespace {

// What distinguishes a kind, and what its line says of all of them.
struct Kind {
  absl::string_view part;
  absl::string_view text;
};
constexpr Kind kWarningKinds[] = {
    {"; it is left out", "parameters are left out, because these samples do not show them"},
    {"without which it cannot be priced",
     "parameters are missing without which their models cannot be priced"},
    {"; the cost is shared evenly",
     "groups of parameters share their cost evenly, because these samples do not tell them apart"},
    {"; it is fitted to ping-pongs",
     "models are fitted to ping-pongs alone, which know no barrier and one message at a time"},
    {"; it is only bounded", "parameters are only bounded: something slower always hides them"},
    {"; assumes the values of level", "models assume the values of another level"},
};

// "logp" of "logp at level network: ...".
std::string ModelOf(absl::string_view warning) {
  return std::string(warning.substr(0, warning.find_first_of(" :")));
}

const Kind* KindOf(absl::string_view warning) {
  const auto* found =
      std::find_if(std::begin(kWarningKinds), std::end(kWarningKinds),
                   [&](const Kind& kind) { return absl::StrContains(warning, kind.part); });
  return found == std::end(kWarningKinds) ? nullptr : found;
}

}  // namespace

std::vector<std::string> FoldWarnings(const std::vector<std::string>& warnings) {
  struct Folded {
    const Kind* kind;
    std::string first;
    int count;
    std::vector<std::string> models;
  };
  std::vector<Folded> folded;
  for (const std::string& warning : warnings) {
    const Kind* kind = KindOf(warning);
    auto same = std::find_if(folded.begin(), folded.end(), [&](const Folded& other) {
      return kind != nullptr && other.kind == kind;
    });
    if (same == folded.end()) same = folded.insert(folded.end(), {kind, warning, 0, {}});
    ++same->count;
    const std::string model = ModelOf(warning);
    if (std::find(same->models.begin(), same->models.end(), model) == same->models.end()) {
      same->models.push_back(model);
    }
  }
  std::vector<std::string> lines;
  lines.reserve(folded.size());
  for (const Folded& one : folded) {
    lines.push_back(one.count == 1 ? one.first
                                   : absl::StrCat(one.count, " ", one.kind->text, " (",
                                                  absl::StrJoin(one.models, ", "), ")"));
  }
  return lines;
}

}  // namespace cox::cli
