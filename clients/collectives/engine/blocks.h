// A buffer of the program with a block of elements for each rank, as bytes in a row.
//
// Where the datatype is dense these are the program's own; otherwise they are packed in memory of
// this object. Used by one operation.
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
  // `count` elements for each rank, one block behind the other.
  Blocks(const Datatype& datatype, void* buffer, int ranks, int count);
  // counts[r] elements for rank r from element displacements[r] on.
  Blocks(const Datatype& datatype, void* buffer, int ranks, const int counts[],
         const int displacements[]);

  int ranks() const { return static_cast<int>(blocks_.size()); }
  int64_t BytesOf(int rank) const {
    return datatype_.BytesOf(blocks_[static_cast<size_t>(rank)].count);
  }
  // The bytes of the block for, or from, a rank.
  char* At(int rank) { return bytes_[static_cast<size_t>(rank)]; }

  // To be called before At(). Prepare(): room for what is received. Pack(): what is to be sent;
  // `copies`: in memory of this object in any case, because the program's is written to meanwhile.
  void Prepare();
  int Pack(MPI_Comm comm, bool copies);
  // Gives what was received to the program's buffer.
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
  // Packs what is sent and copies what the rank has for itself. In place, nothing overlaps.
  int Begin(MPI_Comm comm, int rank);

  Blocks send;
  Blocks receive;
  bool is_in_place;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_BLOCKS_H_
