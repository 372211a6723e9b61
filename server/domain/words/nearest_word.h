// Finds the word that somebody may have meant, for errors. Header only; any thread, cannot fail.
#ifndef COX_DOMAIN_WORDS_NEAREST_WORD_H_
#define COX_DOMAIN_WORDS_NEAREST_WORD_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// How many letters are to be inserted, removed, replaced or swapped: the optimal string alignment
// distance (Damerau-Levenshtein without repeated edits of one place). O(length squared).
inline size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// The word of `words` (strings, or what converts to string_view) with the least distance; the first
// of equals. Empty where more than a third of the letters (at least one) would have to change, or
// the word has more than 64 letters: that is no typing error.
template <typename Words>
std::string NearestWord(absl::string_view word, const Words& words) {
  constexpr size_t kMaxBytes = 64;
  if (word.size() > kMaxBytes) return "";
  std::string nearest;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const auto& one : words) {
    const absl::string_view other(one);
    const size_t longer = std::max(word.size(), other.size());
    if (longer - std::min(word.size(), other.size()) >= least) continue;
    const size_t distance = EditDistance(word, other);
    if (distance >= least) continue;
    least = distance;
    nearest = std::string(other);
  }
  return nearest;
}

// " (did you mean NEAREST?)", or "".
template <typename Words>
std::string DidYouMean(absl::string_view word, const Words& words) {
  const std::string nearest = NearestWord(word, words);
  return nearest.empty() ? "" : absl::StrCat(" (did you mean ", nearest, "?)");
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_WORDS_NEAREST_WORD_H_
