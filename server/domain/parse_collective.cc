#include "domain/parse_collective.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/words/nearest_word.h"

namespace cox::domain {

absl::StatusOr<Collective> ParseCollective(absl::string_view name) {
  std::string known;
  for (int i = 0; i < kCollectiveCount; ++i) {
    if (kCollectiveNames[i] == name) return static_cast<Collective>(i);
    absl::StrAppend(&known, known.empty() ? "" : ", ", kCollectiveNames[i]);
  }
  return absl::NotFoundError(absl::StrCat("collective \"", name, "\": unknown",
                                          DidYouMean(name, kCollectiveNames), "; known are ",
                                          known));
}

}  // namespace cox::domain
