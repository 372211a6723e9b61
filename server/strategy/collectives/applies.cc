#include "absl/strings/str_cat.h"
#include "strategy/collectives/algorithms.h"
#include "topology/powers_of_two.h"
#include "topology/roots.h"

namespace cox::strategy {

absl::Status NeedsPowerOfTwoRanks(const Scenario& scenario, const Knobs&) {
  if (topology::IsPowerOfTwo(scenario.ranks)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("needs a power of two of ranks, not ", scenario.ranks));
}

absl::Status NeedsSquareRanks(const Scenario& scenario, const Knobs&) {
  if (topology::IsSquare(scenario.ranks)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("needs a square number of ranks, not ", scenario.ranks));
}

absl::Status NeedsFourthPowerRanks(const Scenario& scenario, const Knobs&) {
  if (topology::IsFourthPower(scenario.ranks)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("needs a fourth power of ranks, not ", scenario.ranks));
}

absl::Status NeedsEvenRanks(const Scenario& scenario, const Knobs&) {
  if (scenario.ranks % 2 == 0 || scenario.ranks == 1) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("needs an even number of ranks, not ", scenario.ranks));
}

absl::Status NeedsTwoColumns(const Scenario&, const Knobs& knobs) {
  if (knobs.columns != 1) return absl::OkStatus();
  return absl::FailedPreconditionError("takes at least 2 columns, not 1");
}

}  // namespace cox::strategy
