#include "library/mpich/split.h"

#include <algorithm>
#include <array>

#include "absl/strings/strip.h"
#include "domain/collective.h"
#include "topology/powers_of_two.h"

namespace cox::library {
namespace {

using domain::Collective;
using strategy::Scenario;

constexpr int64_t kShortBcast_bytes = 12288;

bool IsSplitBcast(const Scenario& scenario) {
  return scenario.ranks < 8 || scenario.block_bytes < kShortBcast_bytes;
}

// A split bcast whose root is not a leader begins with a message to its leader.
MpichSplit SplitOfBcast(const Scenario& scenario) {
  constexpr int64_t kLong_bytes = 524288;
  if (IsSplitBcast(scenario))
    return scenario.root == 0 ? MpichSplit::kHierarchy : MpichSplit::kOther;
  const bool by_leaders =
      topology::IsPowerOfTwo(scenario.ranks) && scenario.block_bytes < kLong_bytes;
  return by_leaders ? MpichSplit::kOther : MpichSplit::kWhole;
}

// The parts of "smp" are those of short messages. Other parts have no row.
MpichSplit SplitOfAllreduce(const Scenario& scenario, bool commutative) {
  constexpr int64_t kShort_bytes = 8;
  if (!commutative) return MpichSplit::kWhole;
  const bool leaders_double =
      scenario.block_bytes <= kShort_bytes ||
      scenario.element_count() < topology::LargestPowerOfTwo(scenario.node_count());
  return leaders_double ? MpichSplit::kHierarchy : MpichSplit::kOther;
}

MpichSplit SplitOfReduce(const Scenario& scenario, bool commutative) {
  constexpr int64_t kShort_bytes = 2048;
  if (!commutative) return MpichSplit::kWhole;
  return scenario.block_bytes <= kShort_bytes && scenario.root == 0 ? MpichSplit::kHierarchy
                                                                    : MpichSplit::kOther;
}

// On several nodes, at least one of them with several ranks.
MpichSplit SplitOnNodes(const Scenario& scenario, bool commutative) {
  switch (scenario.collective) {
    case Collective::kBcast:
      return SplitOfBcast(scenario);
    case Collective::kAllreduce:
      return SplitOfAllreduce(scenario, commutative);
    case Collective::kReduce:
      return SplitOfReduce(scenario, commutative);
    case Collective::kBarrier:
      return MpichSplit::kHierarchy;
    case Collective::kScan:
      return scenario.placement == strategy::Placement::kBlock ? MpichSplit::kHierarchy
                                                               : MpichSplit::kWhole;
    default:
      return MpichSplit::kWhole;
  }
}

// On a single node there is one leader of all ranks: barrier and scan end with its bcast of a byte
// or an element, which "smp" has too.
MpichSplit SplitOnOneNode(const Scenario& scenario) {
  switch (scenario.collective) {
    case Collective::kBarrier:
    case Collective::kScan:
      return MpichSplit::kHierarchy;
    case Collective::kBcast:
      return scenario.root != 0 && IsSplitBcast(scenario) ? MpichSplit::kOther : MpichSplit::kWhole;
    default:
      return MpichSplit::kWhole;
  }
}

int IndexOf(Collective collective) {
  static const auto kIndices = [] {
    std::array<int, domain::kCollectiveCount> indices{};
    for (int i = 0; i < domain::kCollectiveCount; ++i) {
      indices[static_cast<size_t>(i)] =
          FindMpichCollective(domain::CollectiveName(static_cast<Collective>(i)));
    }
    return indices;
  }();
  return kIndices[static_cast<size_t>(collective)];
}

const MpichCollective& MpichCollectiveOf(Collective collective) {
  return MpichCollectives()[static_cast<size_t>(IndexOf(collective))];
}

// Whether the trees make the same choice for all ranks of the scenario.
bool ChooseAlike(const MpichTree& tree, const Scenario& scenario, bool commutative) {
  const MpichCall call = MpichCallOf(scenario, commutative);
  const MpichNode* chosen = SearchMpichTree(tree, call);
  const MpichNode* own = SearchMpichTree(Mpich40Tree(), call);
  return chosen != nullptr && own != nullptr && chosen->algorithm == own->algorithm;
}

// The same for the calls on the ranks of one node and on the leaders.
bool PartsAreAlike(const MpichTree& tree, const Scenario& scenario, bool commutative) {
  Scenario node = scenario;
  node.ranks = std::min(scenario.ppn, scenario.ranks);
  Scenario leaders = scenario;
  leaders.ranks = scenario.node_count();
  leaders.ppn = 1;
  return ChooseAlike(tree, node, commutative) && ChooseAlike(tree, leaders, commutative);
}

}  // namespace

bool IsSplitByMpich(domain::Collective collective, const TunedJob& job) {
  using enum domain::Collective;
  const bool has_hierarchy = collective == kBcast || collective == kReduce ||
                             collective == kAllreduce || collective == kBarrier ||
                             collective == kScan;
  return has_hierarchy && job.nodes > 1 && job.ppn > 1;
}

MpichSplit MpichSplitOf(const Scenario& scenario, bool commutative) {
  if (scenario.node_count() == 1) return SplitOnOneNode(scenario);
  const bool is_flat = scenario.node_count() == scenario.ranks;
  return is_flat ? MpichSplit::kWhole : SplitOnNodes(scenario, commutative);
}

MpichCall MpichCallOf(const Scenario& scenario, bool commutative) {
  MpichCall call;
  call.collective = IndexOf(scenario.collective);
  call.comm_size = scenario.ranks;
  call.node_count = scenario.node_count();
  call.commutative = commutative;
  call.op_built_in = commutative;
  const bool has_type = MpichCollectiveOf(scenario.collective).has_commutative;
  call.type_bytes = has_type ? scenario.type_bytes : 1;
  call.count = std::max<int64_t>(1, scenario.block_bytes / call.type_bytes);
  const bool is_flat = scenario.node_count() == scenario.ranks;
  call.hierarchy = is_flat ? MpichHierarchy::kFlat : MpichHierarchy::kParent;
  if (scenario.node_count() == 1) call.node_comm_size = scenario.ranks;
  return call;
}

absl::string_view MpichNativeName(absl::string_view algorithm, Collective collective) {
  absl::ConsumePrefix(&algorithm, MpichCollectiveOf(collective).prefix);
  if (!absl::ConsumePrefix(&algorithm, "intra_")) absl::ConsumePrefix(&algorithm, "allcomm_");
  return algorithm;
}

std::optional<absl::string_view> MpichNameUnder(const MpichTree& tree, const Scenario& scenario,
                                                const Assumptions& assume) {
  constexpr absl::string_view kDefault = "default";
  // On one node the parts are all ranks and one rank.
  if (scenario.node_count() > 1 &&
      MpichSplitOf(scenario, assume.commutative) != MpichSplit::kWhole) {
    if (!PartsAreAlike(tree, scenario, assume.commutative)) return std::nullopt;
    return kDefault;
  }
  if (ChooseAlike(tree, scenario, assume.commutative)) return kDefault;
  const MpichNode* leaf = SearchMpichTree(tree, MpichCallOf(scenario, assume.commutative));
  if (leaf == nullptr) return std::nullopt;
  return MpichNativeName(leaf->algorithm, scenario.collective);
}

}  // namespace cox::library
