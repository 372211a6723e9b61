#include "collectives/engine/root_blocks.h"

#include <algorithm>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

// Blocks up to the last rank; the others continue at rank 0.
int64_t BeforeTheTurn(const topology::RootedTree::Blocks& blocks, int64_t ranks) {
  return std::min(blocks.count, ranks - blocks.first);
}

}  // namespace

int RootBlocks::ToMessage(const void* buffer, const topology::RootedTree::Blocks& blocks,
                          char* bytes) const {
  const int64_t before = BeforeTheTurn(blocks, ranks);
  COX_TRY(Pack(datatype, At(buffer, blocks.first), before * count, comm, bytes));
  return Pack(datatype, buffer, (blocks.count - before) * count, comm,
              bytes + before * block_bytes());
}

int RootBlocks::FromMessage(const char* bytes, const topology::RootedTree::Blocks& blocks,
                            void* buffer) const {
  const int64_t before = BeforeTheTurn(blocks, ranks);
  COX_TRY(Unpack(datatype, bytes, before * count, comm, At(buffer, blocks.first)));
  return Unpack(datatype, bytes + before * block_bytes(), (blocks.count - before) * count, comm,
                buffer);
}

}  // namespace cox::collectives
