// What a rooted operation is asked: shared by scatter and gather.
#ifndef COX_COLLECTIVES_ENGINE_ROOTED_H_
#define COX_COLLECTIVES_ENGINE_ROOTED_H_

#include <cstdint>
#include <memory>

#include "collectives/engine/operation.h"
#include "collectives/engine/packing.h"
#include "collectives/engine/root_blocks.h"
#include "topology/rooted_tree.h"

namespace cox::collectives {

// A rank's own block: what it receives in a scatter, and sends in a gather.
struct OwnBlock {
  Datatype datatype;
  int64_t count = 0;
  bool in_place = false;  // at the root: it is where it belongs already

  // What it has as a message.
  int64_t bytes() const { return datatype.BytesOf(count); }
};

// A scatter: from the root, level by level; whoever hears hands on what is for its children. The
// root's part, and any other rank's.
std::unique_ptr<Protocol> MakeRootOfScatter(const topology::RootedTree& tree, int root,
                                            const RootBlocks& all, const void* all_buffer,
                                            const OwnBlock& own, void* own_buffer);
std::unique_ptr<Protocol> MakeHearerOfScatter(const topology::RootedTree& tree, const OwnBlock& own,
                                              void* own_buffer);

// A gather: to the root, level by level; whoever has heard from its children sends all to its
// parent. The root's part, and any other rank's. window: of a windowed gather, along the linear
// tree; 0: none.
std::unique_ptr<Protocol> MakeRootOfGather(const topology::RootedTree& tree, int root,
                                           const RootBlocks& all, void* all_buffer,
                                           const OwnBlock& own, const void* own_buffer,
                                           int64_t window);
std::unique_ptr<Protocol> MakeSenderOfGather(const topology::RootedTree& tree, const OwnBlock& own,
                                             const void* own_buffer);

// A sender's part of a gather by windowed: rank v (counted from the root) sends once all of the
// block of v - window is at the root, which tells it so. window >= 1.
//
// Source: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on
// cluster, 1999, Algorithm 1, where v - window tells v when it has sent. But what MPI has sent may
// be anywhere, in the buffer that is to be spared, too, even by a synchronous send: for a long
// message that is over when its last part is on its way.
inline constexpr int kStartSignals = 1;  // their stream
std::unique_ptr<Protocol> MakeWindowedSenderOfGather(int root, int64_t window, const OwnBlock& own,
                                                     const void* own_buffer);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_ROOTED_H_
