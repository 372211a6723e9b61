#include "library/algorithms.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/collective.h"
#include "library/coxcoll/gather_windows.h"
#include "library/libraries.h"
#include "library/run_time_number.h"
#include "topology/powers_of_two.h"
#include "topology/roots.h"

namespace cox::library {
namespace {

using domain::Collective;
using strategy::Scenario;

bool Meets(uint32_t needs, const Scenario& scenario, const Assumptions& assume) {
  const int64_t ranks = scenario.ranks;
  const int64_t elements = scenario.element_count();
  const auto has_elements = [&](int64_t least) {
    return elements >= least || assume.elements_at_least_ranks;
  };
  if (ranks <= int64_t{needs >> kMoreRanksShift}) return false;
  if ((needs & kPowerOfTwoRanks) != 0 && !topology::IsPowerOfTwo(ranks)) return false;
  if ((needs & kSquareRanks) != 0 && !topology::IsSquare(ranks)) return false;
  if ((needs & kFourthPowerRanks) != 0 && !topology::IsFourthPower(ranks)) return false;
  if ((needs & kEvenRanks) != 0 && ranks % 2 != 0) return false;
  if ((needs & kTwoRanks) != 0 && ranks != 2) return false;
  if ((needs & kElementsAtLeastRanks) != 0 && !has_elements(ranks)) return false;
  if ((needs & kElementsAtLeastPowerOfTwo) != 0 &&
      !has_elements(topology::LargestPowerOfTwo(ranks))) {
    return false;
  }
  if ((needs & kTwoElements) != 0 && !has_elements(2)) return false;
  const bool shares_nodes = scenario.node_count() > 1 && scenario.ppn > 1;
  if ((needs & kSharedNodes) != 0 && !shares_nodes) return false;
  if ((needs & kSharedNode) != 0 && scenario.ppn < 2) return false;
  if ((needs & kInPlace) != 0) return false;  // a scenario's buffers are two
  return (needs & kCommutative) == 0 || assume.commutative;
}

template <typename Matches>
const Algorithm* FindRow(absl::string_view library, Collective collective, const Matches& matches) {
  for (const Algorithm& row : AlgorithmsOf(library)) {
    if (row.collective == collective && matches(row)) return &row;
  }
  return nullptr;
}

}  // namespace

std::string DescribeNeeds(uint32_t needs) {
  constexpr std::pair<Precondition, absl::string_view> kWords[] = {
      {kPowerOfTwoRanks, "ranks a power of two"},
      {kSquareRanks, "a square number of ranks"},
      {kFourthPowerRanks, "a fourth power of ranks"},
      {kEvenRanks, "even ranks"},
      {kTwoRanks, "two ranks"},
      {kElementsAtLeastRanks, "elements >= ranks"},
      {kElementsAtLeastPowerOfTwo, "elements >= the largest power of two <= ranks"},
      {kTwoElements, "two elements"},
      {kCommutative, "commutative operation"},
      {kInPlace, "MPI_IN_PLACE"},
      {kOneType, "one type to send and to receive"},
      {kSharedNode, "several ranks on a node"},
      {kSharedNodes, "several nodes of several ranks"},
      {kAbortsElsewhere, "else the job aborts"},
  };
  std::vector<std::string> words;
  if (const uint32_t fewer = needs >> kMoreRanksShift; fewer > 0) {
    words.push_back(absl::StrCat("more than ", fewer, " ranks"));
  }
  for (const auto& [bit, word] : kWords) {
    if ((needs & bit) != 0) words.emplace_back(word);
  }
  return absl::StrJoin(words, ", ");
}

absl::Span<const Algorithm> AlgorithmsOf(absl::string_view library) {
  const Library* found = FindLibrary(library);
  return found == nullptr ? absl::Span<const Algorithm>() : found->algorithms();
}

bool Lists(absl::string_view library, Collective collective) {
  return FindRow(library, collective, [](const Algorithm&) { return true; }) != nullptr;
}

const Algorithm* FindAlgorithm(absl::string_view library, Collective collective,
                               absl::string_view native_name) {
  const Algorithm* row = FindRow(
      library, collective, [&](const Algorithm& one) { return one.native_name == native_name; });
  if (row != nullptr || library != kCoxcoll || collective != Collective::kGather) return row;
  return FindWideGatherWindow(native_name);
}

const Algorithm* FindNativeAlgorithm(absl::string_view library, Collective collective,
                                     int native_id) {
  if (native_id < 0) return nullptr;
  return FindRow(library, collective,
                 [&](const Algorithm& row) { return row.native_id == native_id; });
}

const Algorithm* Effective(const Algorithm& row, const Scenario& scenario,
                           const Assumptions& assume) {
  // No chain of fallbacks is longer than two. A circle would be a bug in the table.
  const Algorithm* running = &row;
  while (running != nullptr && !Meets(running->needs, scenario, assume)) {
    if (running->fallback.empty()) return nullptr;
    running = FindAlgorithm(running->library, running->collective, running->fallback);
  }
  return running;
}

bool CutsByOwnCount(const Algorithm& row) {
  constexpr uint32_t kCuts = kTwoElements | kElementsAtLeastRanks;
  return row.collective == domain::Collective::kBcast &&
         absl::StartsWith(row.library, "openmpi-") && (row.needs & kCuts) != 0;
}

}  // namespace cox::library
