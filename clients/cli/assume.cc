#include "cli/assume.h"

#include <algorithm>

namespace cox::cli {
namespace {

constexpr char kCommutative[] = "commutative";
constexpr char kElements[] = "elements>=ranks";

}  // namespace

CLI::Option* AddAssumeOption(CLI::App& app, std::vector<std::string>& words) {
  return app
      .add_option("--assume", words,
                  "What is promised about every call of the job, comma-separated: commutative: no "
                  "reduction has a non-commutative operation, which some algorithms compute "
                  "wrongly; elements>=ranks: as many elements as ranks, which some algorithms need")
      ->delimiter(',')
      ->type_name("PROMISES")
      ->check(CLI::IsMember({kCommutative, kElements}));
}

library::Assumptions AssumptionsOf(const std::vector<std::string>& words) {
  const auto promised = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return {.commutative = promised(kCommutative), .elements_at_least_ranks = promised(kElements)};
}

}  // namespace cox::cli
