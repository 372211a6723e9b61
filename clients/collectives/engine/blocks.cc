#include "collectives/engine/blocks.h"

#include <cstring>

#include "collectives/engine/error.h"

namespace cox::collectives {

Blocks::Blocks(const Datatype& datatype, void* buffer, int ranks, int count)
    : datatype_(datatype), buffer_(buffer) {
  blocks_.reserve(static_cast<size_t>(ranks));
  for (int64_t rank = 0; rank < ranks; ++rank) blocks_.push_back({rank * count, count});
}

Blocks::Blocks(const Datatype& datatype, void* buffer, int ranks, const int counts[],
               const int displacements[])
    : datatype_(datatype), buffer_(buffer) {
  blocks_.reserve(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) blocks_.push_back({displacements[rank], counts[rank]});
}

void Blocks::Place(bool in_own_memory) {
  bytes_.clear();
  bytes_.reserve(blocks_.size());
  if (!in_own_memory) {
    for (const Block& block : blocks_) bytes_.push_back(datatype_.At(buffer_, block.element));
    return;
  }
  int64_t bytes = 0;
  for (const Block& block : blocks_) bytes += datatype_.BytesOf(block.count);
  own_.resize(static_cast<size_t>(bytes));
  char* next = own_.data();
  for (const Block& block : blocks_) {
    bytes_.push_back(next);
    next += datatype_.BytesOf(block.count);
  }
}

void Blocks::Prepare() { Place(!datatype_.is_dense); }

int Blocks::Pack(MPI_Comm comm, bool copies) {
  const bool packs = copies || !datatype_.is_dense;
  Place(packs);
  if (!packs) return MPI_SUCCESS;
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    const Block& block = blocks_[rank];
    COX_TRY(collectives::Pack(datatype_, datatype_.At(buffer_, block.element), block.count, comm,
                              bytes_[rank]));
  }
  return MPI_SUCCESS;
}

int Blocks::Unpack(MPI_Comm comm) {
  if (datatype_.is_dense) return MPI_SUCCESS;
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    const Block& block = blocks_[rank];
    COX_TRY(collectives::Unpack(datatype_, bytes_[rank], block.count, comm,
                                datatype_.At(buffer_, block.element)));
  }
  return MPI_SUCCESS;
}

int ExchangeBlocks::Begin(MPI_Comm comm, int rank) {
  COX_TRY(send.Pack(comm, is_in_place));
  receive.Prepare();
  const auto bytes = static_cast<size_t>(receive.BytesOf(rank));
  if (bytes > 0) std::memcpy(receive.At(rank), send.At(rank), bytes);
  return MPI_SUCCESS;
}

}  // namespace cox::collectives
