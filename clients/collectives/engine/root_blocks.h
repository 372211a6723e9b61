// The blocks of all ranks in the root's buffer of a scatter or gather, as the bytes of a message.
// Any thread that may call MPI.
#ifndef COX_COLLECTIVES_ENGINE_ROOT_BLOCKS_H_
#define COX_COLLECTIVES_ENGINE_ROOT_BLOCKS_H_

#include <mpi.h>

#include <cstdint>

#include "collectives/engine/packing.h"
#include "topology/rooted_tree.h"

namespace cox::collectives {

// `count` elements for each rank, in rank order.
struct RootBlocks {
  Datatype datatype;
  int64_t count = 0;
  int64_t ranks = 1;
  MPI_Comm comm = MPI_COMM_NULL;

  // Bytes of one rank's block in a message.
  int64_t block_bytes() const { return datatype.BytesOf(count); }

  // True if the blocks lie in the buffer as in a message; then they begin at At().
  bool AreInRow(const topology::RootedTree::Blocks& blocks) const {
    return datatype.is_dense && blocks.first + blocks.count <= ranks;
  }
  template <typename Buffer>
  auto At(Buffer* buffer, int64_t rank) const {
    return datatype.At(buffer, rank * count);
  }

  // Copy them into a message, and back. Return MPI's error class if it fails.
  int ToMessage(const void* buffer, const topology::RootedTree::Blocks& blocks, char* bytes) const;
  int FromMessage(const char* bytes, const topology::RootedTree::Blocks& blocks,
                  void* buffer) const;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_ROOT_BLOCKS_H_
