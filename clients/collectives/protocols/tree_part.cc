#include "collectives/protocols/tree_part.h"

namespace cox::collectives {

using topology::RootedTree;

std::vector<RootedTree::Edge> ChildrenOf(const RootedTree& tree, int64_t rank) {
  std::vector<RootedTree::Edge> edges;
  for (int level = tree.LevelOf(rank) + 1; level < tree.level_count(); ++level) {
    const int64_t children = tree.ChildCount(rank, level);
    for (int64_t i = 0; i < children; ++i) edges.push_back(tree.ChildAt(rank, level, i));
  }
  return edges;
}

void HeldBlocks::Hold(const RootedTree::Blocks& blocks, int64_t ranks, int64_t block_bytes) {
  first_ = blocks.first;
  ranks_ = ranks;
  block_bytes_ = block_bytes;
  bytes_.resize(static_cast<size_t>(blocks.count * block_bytes));
}

char* HeldBlocks::At(int64_t rank) {
  const int64_t place = rank - first_;
  return bytes_.data() + (place < 0 ? place + ranks_ : place) * block_bytes_;
}

}  // namespace cox::collectives
