#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/strip.h"
#include "library/algorithms.h"
#include "library/mpich_tree.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using strategy::Collective;
using strategy::Scenario;

constexpr absl::string_view kMpich = "mpich-4.0";
constexpr absl::string_view kHierarchy = "smp";

// How the device's layer (ch4) of MPICH 4.0.2 splits a call before the tree is asked. Seen in the
// messages of jobs on one node, and on two by MPIR_CVAR_NUM_CLIQUES.
enum class Split : uint8_t {
  kWhole,      // the tree is asked for all ranks
  kHierarchy,  // calls on the ranks of each node and on their leaders, as the row "smp" has them
  kOther,      // such calls, which together are no row
};

bool IsPowerOfTwo(int64_t ranks) { return (ranks & (ranks - 1)) == 0; }

int64_t LargestPowerOfTwo(int64_t not_above) {
  int64_t power = 1;
  while (power <= not_above / 2) power *= 2;
  return power;
}

constexpr int64_t kShortBcast_bytes = 12288;

bool IsSplitBcast(const Scenario& scenario) {
  return scenario.ranks < 8 || scenario.block_bytes < kShortBcast_bytes;
}

// A split bcast from a rank that is no leader begins with a message to its leader.
Split SplitOfBcast(const Scenario& scenario) {
  constexpr int64_t kLong_bytes = 524288;
  if (IsSplitBcast(scenario)) return scenario.root == 0 ? Split::kHierarchy : Split::kOther;
  const bool by_leaders = IsPowerOfTwo(scenario.ranks) && scenario.block_bytes < kLong_bytes;
  return by_leaders ? Split::kOther : Split::kWhole;
}

// The parts of "smp" are those of short messages: where they would not be, it is no row.
Split SplitOfAllreduce(const Scenario& scenario, bool commutative) {
  constexpr int64_t kShort_bytes = 8;
  if (!commutative) return Split::kWhole;
  const bool leaders_double = scenario.block_bytes <= kShort_bytes ||
                              scenario.element_count() < LargestPowerOfTwo(scenario.node_count());
  return leaders_double ? Split::kHierarchy : Split::kOther;
}

Split SplitOfReduce(const Scenario& scenario, bool commutative) {
  constexpr int64_t kShort_bytes = 2048;
  if (!commutative) return Split::kWhole;
  return scenario.block_bytes <= kShort_bytes && scenario.root == 0 ? Split::kHierarchy
                                                                    : Split::kOther;
}

// On several nodes, of which one at least has several ranks.
Split SplitOnNodes(const Scenario& scenario, bool commutative) {
  switch (scenario.collective) {
    case Collective::kBcast:
      return SplitOfBcast(scenario);
    case Collective::kAllreduce:
      return SplitOfAllreduce(scenario, commutative);
    case Collective::kReduce:
      return SplitOfReduce(scenario, commutative);
    case Collective::kBarrier:
      return Split::kHierarchy;
    case Collective::kScan:
      return scenario.placement == strategy::Placement::kBlock ? Split::kHierarchy : Split::kWhole;
    default:
      return Split::kWhole;
  }
}

// On a single one the ranks of the node are all ranks, and there is one leader: barrier and scan
// end with a bcast of a byte or an element from it, which "smp" has too.
Split SplitOnOneNode(const Scenario& scenario) {
  switch (scenario.collective) {
    case Collective::kBarrier:
    case Collective::kScan:
      return Split::kHierarchy;
    case Collective::kBcast:
      return scenario.root != 0 && IsSplitBcast(scenario) ? Split::kOther : Split::kWhole;
    default:
      return Split::kWhole;
  }
}

int IndexOf(Collective collective) {
  static const auto kIndices = [] {
    std::array<int, strategy::kCollectiveCount> indices{};
    for (int i = 0; i < strategy::kCollectiveCount; ++i) {
      indices[static_cast<size_t>(i)] =
          FindMpichCollective(strategy::CollectiveName(static_cast<Collective>(i)));
    }
    return indices;
  }();
  return kIndices[static_cast<size_t>(collective)];
}

// A call of nothing sends nothing: the shortest message speaks for it.
MpichCall ToCall(const Scenario& scenario, bool commutative) {
  MpichCall call;
  call.collective = IndexOf(scenario.collective);
  call.comm_size = scenario.ranks;
  call.node_count = scenario.node_count();
  call.commutative = commutative;
  call.op_built_in = commutative;
  const bool has_type = MpichCollectives()[static_cast<size_t>(call.collective)].has_commutative;
  call.type_bytes = has_type ? scenario.type_bytes : 1;
  call.count = std::max<int64_t>(1, scenario.block_bytes / call.type_bytes);
  const bool is_flat = scenario.node_count() == scenario.ranks;
  call.hierarchy = is_flat ? MpichHierarchy::kFlat : MpichHierarchy::kParent;
  if (scenario.node_count() == 1) call.node_comm_size = scenario.ranks;
  return call;
}

// "MPIR_Bcast_intra_binomial": binomial.
absl::string_view NativeName(absl::string_view algorithm, absl::string_view prefix) {
  absl::ConsumePrefix(&algorithm, prefix);
  if (!absl::ConsumePrefix(&algorithm, "intra_")) absl::ConsumePrefix(&algorithm, "allcomm_");
  return algorithm;
}

}  // namespace

const Algorithm* Mpich40StockChoice(const Scenario& scenario, const Assumptions& assume) {
  const bool is_flat = scenario.node_count() == scenario.ranks;
  Split split = Split::kWhole;
  if (scenario.node_count() == 1) {
    split = SplitOnOneNode(scenario);
  } else if (!is_flat) {
    split = SplitOnNodes(scenario, assume.commutative);
  }
  if (split == Split::kOther) return nullptr;
  if (split == Split::kHierarchy) return FindAlgorithm(kMpich, scenario.collective, kHierarchy);
  const MpichCall call = ToCall(scenario, assume.commutative);
  const MpichNode* leaf = SearchMpichTree(Mpich40Tree(), call);
  if (leaf == nullptr) return nullptr;
  const absl::string_view prefix = MpichCollectives()[static_cast<size_t>(call.collective)].prefix;
  return FindAlgorithm(kMpich, scenario.collective, NativeName(leaf->algorithm, prefix));
}

}  // namespace cox::library
