// The trees of scatter and gather by name, their costs, and the choice of the best. Pure, any
// thread. topology/rooted_tree.h computes the trees.
#ifndef COX_COLLECTIVES_CHOICE_ROOTED_TREES_H_
#define COX_COLLECTIVES_CHOICE_ROOTED_TREES_H_

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
  std::string_view needs;  // what `takes` requires: "a square number of ranks"
};

// An algorithm's id is its index here.
std::span<const TreeKind> TreeKinds();
inline constexpr int kLinearTree = 0;

// What cox_iscatter and cox_igather take. Gather's windowed has the id after the last tree.
std::span<const AlgorithmRow> ScatterRows();
std::span<const AlgorithmRow> GatherRows();
int WindowedId();

// Seconds from the root to the last rank, or back: the root's messages at each level, one after the
// other, because no rank sends more there. block_bytes >= 0.
double TreeSeconds(const topology::RootedTree& tree, int64_t root, double block_bytes,
                   const domain::CostProfile& costs);

// The cheapest tree for ranks >= 1; the first of equal ones.
int CheapestTree(int64_t ranks, double block_bytes, const domain::CostProfile& costs);

// Scatter's choice: the cheapest tree.
AlgorithmChoice ChooseScatter(int64_t ranks, double block_bytes, const domain::CostProfile& costs);

// Gather's choice: if the profile states a buffer that all senders at once overrun, the window that
// it needs (topology::WindowFor); else the cheapest tree.
AlgorithmChoice ChooseGather(int64_t ranks, double block_bytes, const domain::CostProfile& costs);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_ROOTED_TREES_H_
