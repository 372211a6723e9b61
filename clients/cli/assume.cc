#include "cli/assume.h"

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

CLI::Option* AddAssumeOption(CLI::App& app, std::vector<std::string>& words) {
  return app
      .add_option("--assume", words,
                  "What is promised about every call of the job, comma-separated: commutative: no "
                  "reduction has a non-commutative operation, which some algorithms compute "
                  "wrongly; elements>=ranks: as many elements as ranks, which some algorithms "
                  "need; same-counts: all ranks give a call the same count and type, not only as "
                  "many bytes (--mode apply asks for it before Open MPI cuts a message for a "
                  "broadcast); any-order: sums of floating-point numbers may be rounded in another "
                  "order (--mode apply "
                  "leaves them alone without)")
      ->delimiter(',')
      // Else it would take what stands behind it, "--" included.
      ->allow_extra_args(false)
      ->type_name("PROMISES")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kPromises), std::end(kPromises))));
}

absl::StatusOr<std::vector<std::string>> ParseAssumptions(absl::string_view text) {
  std::vector<std::string> words = absl::StrSplit(text, ',', absl::SkipEmpty());
  for (const std::string& word : words) {
    if (std::find(std::begin(kPromises), std::end(kPromises), word) == std::end(kPromises)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", word, "\" is no promise, only ", absl::StrJoin(kPromises, ", ")));
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
