// The trees of scatter and gather by name, what they cost, and which one is best where nobody says.
// Pure, any thread. The trees themselves are the server's (topology/rooted_tree.h).
#ifndef COX_COLLECTIVES_PROTOCOLS_ROOTED_TREES_H_
#define COX_COLLECTIVES_PROTOCOLS_ROOTED_TREES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "collectives/choice/algorithm_name.h"
#include "domain/coxcoll_costs.h"
#include "topology/rooted_tree.h"

namespace cox::collectives {

struct TreeKind {
  std::string_view name;
  topology::RootedTree (*make)(int64_t ranks, int64_t root);
  bool (*takes)(int64_t ranks);
  std::string_view needs;  // what `takes` asks for: "a square number of ranks"
};

// An algorithm's id is its place here.
std::span<const TreeKind> TreeKinds();
inline constexpr int kLinearTree = 0;

// What cox_iscatter and cox_igather take. The id behind the trees': gather's windowed.
std::span<const AlgorithmRow> ScatterRows();
std::span<const AlgorithmRow> GatherRows();
int WindowedId();

// Seconds from the root to the last rank, or back: what the root sends at each level, one message
// after the other, for no rank sends more there. block_bytes >= 0.
double TreeSeconds(const topology::RootedTree& tree, int64_t root, double block_bytes,
                   const domain::CostProfile& costs);

// The cheapest tree for ranks >= 1; the first of equals.
int CheapestTree(int64_t ranks, double block_bytes, const domain::CostProfile& costs);

// What scatter takes where nobody says: the cheapest tree.
AlgorithmChoice ChooseScatter(int64_t ranks, double block_bytes, const domain::CostProfile& costs);

// What gather takes where nobody says: the window that the buffer of the profile asks for, if it
// states one that all senders at once overrun (models' WindowFor), else the cheapest tree.
AlgorithmChoice ChooseGather(int64_t ranks, double block_bytes, const domain::CostProfile& costs);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_ROOTED_TREES_H_
