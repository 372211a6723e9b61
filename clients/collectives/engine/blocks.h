// A buffer of the program with a block of elements for each rank, as contiguous bytes.
//
// For a dense datatype these are the program's own bytes; otherwise this object holds them packed.
// Used by one operation.
#ifndef COX_COLLECTIVES_ENGINE_BLOCKS_H_
#define COX_COLLECTIVES_ENGINE_BLOCKS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/engine/packing.h"

namespace cox::collectives {

class Blocks {
 public:
  // `count` elements for each rank, in rank order.
  Blocks(const Datatype& datatype, void* buffer, int ranks, int count);
  // counts[r] elements for rank r, from element displacements[r] on.
  Blocks(const Datatype& datatype, void* buffer, int ranks, const int counts[],
         const int displacements[]);

  int ranks() const { return static_cast<int>(blocks_.size()); }
  int64_t BytesOf(int rank) const {
    return datatype_.BytesOf(blocks_[static_cast<size_t>(rank)].count);
  }
  // The bytes of the block for, or from, a rank.
  char* At(int rank) { return bytes_[static_cast<size_t>(rank)]; }

  // Call one of them before At(). Prepare() makes room for what the rank receives, Pack() packs
  // what it sends. With `copies` the bytes always lie in this object, because the program's buffer
  // changes meanwhile.
  void Prepare();
  int Pack(MPI_Comm comm, bool copies);
  // Copies received bytes to the program's buffer.
  int Unpack(MPI_Comm comm);

 private:
  struct Block {
    int64_t element;
    int64_t count;
  };
  void Place(bool in_own_memory);

  Datatype datatype_;
  void* buffer_;
  std::vector<Block> blocks_;
  std::vector<char> own_;
  std::vector<char*> bytes_;
};

// Both sides of an exchange on one rank.
struct ExchangeBlocks {
  // Packs what the rank sends and copies the block that it has for itself. Handles MPI_IN_PLACE.
  int Begin(MPI_Comm comm, int rank);

  Blocks send;
  Blocks receive;
  bool is_in_place;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_BLOCKS_H_
