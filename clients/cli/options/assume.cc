#include "cli/options/assume.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace cox::cli {
namespace {

constexpr char kCommutative[] = "commutative";
constexpr char kElements[] = "elements>=ranks";
constexpr char kSameCounts[] = "same-counts";
constexpr char kAnyOrder[] = "any-order";
constexpr const char* kPromises[] = {kCommutative, kElements, kSameCounts, kAnyOrder};

}  // namespace

Option AddAssumeOption(Verb app, std::vector<std::string>& words) {
  return app
      .Words(
          "--assume", words,
          "Promises about every call of the job, comma-separated; each allows more algorithms. "
          "commutative: reductions commute. elements>=ranks: each call has at least as many "
          "elements as ranks. same-counts: all ranks give the same count and type, and the same to "
          "send as to receive. any-order: the order of additions may change sums")
      .Type("PROMISES")
      .OneOf({std::begin(kPromises), std::end(kPromises)});
}

absl::StatusOr<std::vector<std::string>> ParseAssumptions(absl::string_view text) {
  std::vector<std::string> words = absl::StrSplit(text, ',', absl::SkipEmpty());
  for (const std::string& word : words) {
    if (std::find(std::begin(kPromises), std::end(kPromises), word) == std::end(kPromises)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", word, "\" is not a promise; the promises are ", absl::StrJoin(kPromises, ", ")));
    }
  }
  return words;
}

library::Assumptions AssumptionsOf(const std::vector<std::string>& words) {
  const auto promised = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return {.commutative = promised(kCommutative),
          .elements_at_least_ranks = promised(kElements),
          .same_counts = promised(kSameCounts)};
}

}  // namespace cox::cli
