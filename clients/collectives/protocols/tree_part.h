// One rank's part of the trees of scatter and gather (topology/rooted_tree.h). Pure, one thread.
#ifndef COX_COLLECTIVES_PROTOCOLS_TREE_PART_H_
#define COX_COLLECTIVES_PROTOCOLS_TREE_PART_H_

#include <cstdint>
#include <vector>

#include "topology/rooted_tree.h"

namespace cox::collectives {

// The messages between a rank and its children, in the order in which a scatter sends them. 0 <=
// rank < tree.ranks().
std::vector<topology::RootedTree::Edge> ChildrenOf(const topology::RootedTree& tree, int64_t rank);

// Memory for the blocks of several ranks, in the order of a message.
class HeldBlocks {
 public:
  // Makes room for `blocks` of block_bytes > 0 each, of a tree of `ranks` ranks. Called once.
  void Hold(const topology::RootedTree::Blocks& blocks, int64_t ranks, int64_t block_bytes);

  // The address of a rank's block, which must be one of the held ones; the following blocks follow
  // it.
  char* At(int64_t rank);
  char* data() { return bytes_.data(); }
  int64_t bytes() const { return static_cast<int64_t>(bytes_.size()); }
  // True before Hold().
  bool empty() const { return bytes_.empty(); }

 private:
  int64_t first_ = 0;
  int64_t ranks_ = 1;
  int64_t block_bytes_ = 0;
  std::vector<char> bytes_;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_TREE_PART_H_
