// A number of bytes that may exceed an int, as MPI's count and datatype.
#ifndef COX_COLLECTIVES_ENGINE_BYTES_H_
#define COX_COLLECTIVES_ENGINE_BYTES_H_

#include <mpi.h>

#include <cstdint>

namespace cox::collectives {

// Contiguous bytes: MPI_BYTE while the count fits an int, else one element of a datatype of its
// own, which the destructor frees (MPI lets pending messages finish). Any thread.
class Bytes {
 public:
  Bytes() = default;
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  // bytes >= 0. Above `largest` it builds a datatype of pieces of `largest` bytes. Returns MPI's
  // error class if MPI cannot build it.
  int Set(int64_t bytes, int64_t largest = INT32_MAX);

  int count() const { return count_; }
  MPI_Datatype type() const { return own_ == MPI_DATATYPE_NULL ? MPI_BYTE : own_; }

 private:
  int count_ = 0;
  MPI_Datatype own_ = MPI_DATATYPE_NULL;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_BYTES_H_
