// Numbers of bytes that an int need not hold, as a count and a datatype of MPI.
#ifndef COX_COLLECTIVES_ENGINE_BYTES_H_
#define COX_COLLECTIVES_ENGINE_BYTES_H_

#include <mpi.h>

#include <cstdint>

namespace cox::collectives {

// So many bytes in a row: MPI_BYTE as long as the count is an int, else one element of a datatype
// of its own, freed with this (MPI lets what is under way finish). Any thread.
class Bytes {
 public:
  Bytes() = default;
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  // bytes >= 0. `largest`: above it, a datatype is made of pieces of `largest` bytes. MPI's error
  // class if it makes none.
  int Set(int64_t bytes, int64_t largest = INT32_MAX);

  int count() const { return count_; }
  MPI_Datatype type() const { return own_ == MPI_DATATYPE_NULL ? MPI_BYTE : own_; }

 private:
  int count_ = 0;
  MPI_Datatype own_ = MPI_DATATYPE_NULL;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_BYTES_H_
