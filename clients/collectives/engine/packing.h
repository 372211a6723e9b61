// Elements of any datatype as bytes in a row. Any thread that may call MPI.
#ifndef COX_COLLECTIVES_ENGINE_PACKING_H_
#define COX_COLLECTIVES_ENGINE_PACKING_H_

#include <mpi.h>

#include <cstdint>

namespace cox::collectives {

// What the library has to know of a datatype.
struct Datatype {
  // An error (MPI_ERR_TYPE) for MPI_DATATYPE_NULL. `name`: the argument, for the error's text.
  int Set(MPI_Datatype of, const char* name);

  // What `count` elements have as a message.
  int64_t BytesOf(int64_t count) const { return count * size_bytes; }
  // Where the element of this number is, in a buffer that starts at `buffer`, which may be
  // MPI_BOTTOM.
  char* At(void* buffer, int64_t element) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM is no pointer that could be moved
    return reinterpret_cast<char*>(reinterpret_cast<intptr_t>(buffer) + element * extent_bytes);
  }
  const char* At(const void* buffer, int64_t element) const {
    return At(const_cast<void*>(buffer), element);
  }

  MPI_Datatype type = MPI_DATATYPE_NULL;
  int64_t size_bytes = 0;
  int64_t extent_bytes = 0;
  // Elements lie in memory as they are sent, without holes: they need not be packed. False where
  // this is not certain.
  bool is_dense = false;
  // Whether its first byte is elsewhere than at the buffer: it may have addresses, in MPI_BOTTOM.
  bool is_displaced = false;
};

// Copies `count` elements at `elements` to BytesOf(count) bytes, and back. Without MPI where the
// type is dense. MPI's error class if it fails.
int Pack(const Datatype& datatype, const void* elements, int64_t count, MPI_Comm comm, char* bytes);
int Unpack(const Datatype& datatype, const char* bytes, int64_t count, MPI_Comm comm,
           void* elements);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_PACKING_H_
