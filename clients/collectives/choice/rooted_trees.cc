#include "collectives/choice/rooted_trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "topology/powers_of_two.h"
#include "topology/roots.h"
#include "topology/window_rule.h"

namespace cox::collectives {
namespace {

using topology::RootedTree;

bool AnyRanks(int64_t) { return true; }

constexpr TreeKind kTrees[] = {
    {"linear", RootedTree::Linear, AnyRanks, ""},
    {"binomial", RootedTree::Binomial, AnyRanks, ""},
    {"2-lev-rec", RootedTree::TwoLevels, topology::IsSquare, "a square number of ranks"},
    {"3-lev-sq", RootedTree::ThreeLevels, topology::IsFourthPower, "a fourth power of ranks"},
    {"logp-lev-sq", RootedTree::Binomial, topology::IsPowerOfTwo, "a power of two of ranks"},
};
// Treats prices that differ only by rounding as equal.
constexpr double kLess = 1 - 1e-9;
constexpr int kTreeCount = static_cast<int>(std::size(kTrees));

// The rows of the trees, and windowed.
constexpr auto kTreeRows = [] {
  std::array<AlgorithmRow, kTreeCount + 1> rows{};
  for (int i = 0; i < kTreeCount; ++i) rows[static_cast<size_t>(i)] = {i, kTrees[i].name, "", 0};
  rows[kTreeCount] = {kTreeCount, "windowed", "window", 1};
  return rows;
}();

}  // namespace

std::span<const TreeKind> TreeKinds() { return kTrees; }
std::span<const AlgorithmRow> ScatterRows() { return std::span(kTreeRows).first(kTreeCount); }
std::span<const AlgorithmRow> GatherRows() { return kTreeRows; }
int WindowedId() { return kTreeCount; }

static_assert(kTrees[kLinearTree].name == "linear");

double TreeSeconds(const RootedTree& tree, int64_t root, double block_bytes,
                   const domain::CostProfile& costs) {
  double time_s = 0;
  for (int level = 0; level < tree.level_count(); ++level) {
    const int64_t children = tree.ChildCount(root, level);
    if (children == 0) continue;
    const auto blocks = static_cast<double>(tree.ChildAt(root, level, 0).blocks.count);
    const auto messages = static_cast<double>(children);
    time_s += costs.alpha_s + (messages - 1) * costs.further_s() +
              messages * blocks * block_bytes * costs.beta_s_per_byte;
  }
  return time_s;
}

int CheapestTree(int64_t ranks, double block_bytes, const domain::CostProfile& costs) {
  int best = 0;
  double best_s = 0;
  for (int i = 0; i < kTreeCount; ++i) {
    if (!kTrees[i].takes(ranks)) continue;
    const double time_s = TreeSeconds(kTrees[i].make(ranks, 0), 0, block_bytes, costs);
    if (i == 0 || time_s < kLess * best_s) {
      best = i;
      best_s = time_s;
    }
  }
  return best;
}

AlgorithmChoice ChooseScatter(int64_t ranks, double block_bytes, const domain::CostProfile& costs) {
  return {CheapestTree(ranks, block_bytes, costs), 0};
}

AlgorithmChoice ChooseGather(int64_t ranks, double block_bytes, const domain::CostProfile& costs) {
  const bool has_stage = costs.send_gap_s > 0 && costs.receive_gap_s > 0 && costs.packet_bytes > 0;
  if (has_stage && costs.buffer_packets > 0 && block_bytes > 0 && ranks > 1) {
    const topology::GatherStage stage{costs.send_gap_s, costs.receive_gap_s, costs.buffer_packets};
    const auto packets = static_cast<int64_t>(std::ceil(block_bytes / costs.packet_bytes));
    const int64_t window = topology::WindowFor(stage, ranks - 1, packets).window;
    if (window < ranks - 1) return {kTreeCount, window};
  }
  return ChooseScatter(ranks, block_bytes, costs);
}

}  // namespace cox::collectives
