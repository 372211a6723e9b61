// What scatter and gather share.
#ifndef COX_COLLECTIVES_ENGINE_ROOTED_H_
#define COX_COLLECTIVES_ENGINE_ROOTED_H_

#include <cstdint>
#include <memory>

#include "collectives/engine/operation.h"
#include "collectives/engine/packing.h"
#include "collectives/engine/root_blocks.h"
#include "topology/rooted_tree.h"

namespace cox::collectives {

// A rank's own block: what it receives in a scatter or sends in a gather.
struct OwnBlock {
  Datatype datatype;
  int64_t count = 0;
  bool in_place = false;  // at the root: the block already lies in its place

  // Bytes of the block in a message.
  int64_t bytes() const { return datatype.BytesOf(count); }
};

// A scatter from the root, level by level: each rank passes on what is for its children. The root's
// part, and that of the other ranks.
std::unique_ptr<Protocol> MakeRootOfScatter(const topology::RootedTree& tree, int root,
                                            const RootBlocks& all, const void* all_buffer,
                                            const OwnBlock& own, void* own_buffer);
std::unique_ptr<Protocol> MakeHearerOfScatter(const topology::RootedTree& tree, const OwnBlock& own,
                                              void* own_buffer);

// A gather to the root, level by level: each rank waits for its children and sends all blocks to
// its parent. The root's part, and that of the other ranks. window: for a windowed gather along the
// linear tree; 0: none.
std::unique_ptr<Protocol> MakeRootOfGather(const topology::RootedTree& tree, int root,
                                           const RootBlocks& all, void* all_buffer,
                                           const OwnBlock& own, const void* own_buffer,
                                           int64_t window);
std::unique_ptr<Protocol> MakeSenderOfGather(const topology::RootedTree& tree, const OwnBlock& own,
                                             const void* own_buffer);

// A sender's part of a windowed gather: rank v, counted from the root, sends when the root tells it
// that the whole block of rank v - window has arrived. window >= 1.
//
// Source: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on
// cluster, 1999, Algorithm 1, where v - window tells v when it has sent. Here the root tells it:
// after MPI's send, even a synchronous one, a long message may still fill the buffer that the
// window protects.
inline constexpr int kStartSignals = 1;  // the signals' stream
std::unique_ptr<Protocol> MakeWindowedSenderOfGather(int root, int64_t window, const OwnBlock& own,
                                                     const void* own_buffer);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_ROOTED_H_
