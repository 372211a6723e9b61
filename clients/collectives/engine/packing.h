// Elements of any datatype as contiguous bytes. Any thread that may call MPI.
#ifndef COX_COLLECTIVES_ENGINE_PACKING_H_
#define COX_COLLECTIVES_ENGINE_PACKING_H_

#include <mpi.h>

#include <cstdint>
#include <memory>

namespace cox::collectives {

// What the library needs to know about a datatype.
struct Datatype {
  // Returns MPI_ERR_TYPE for MPI_DATATYPE_NULL. `name` is the argument's name for the error's text.
  // The program may free `of` afterwards.
  int Set(MPI_Datatype of, const char* name);

  // Bytes of `count` elements in a message.
  int64_t BytesOf(int64_t count) const { return count * size_bytes; }
  // The address of an element in a buffer, which may be MPI_BOTTOM.
  char* At(void* buffer, int64_t element) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM is not a pointer that can move
    return reinterpret_cast<char*>(reinterpret_cast<intptr_t>(buffer) + element * extent_bytes);
  }
  const char* At(const void* buffer, int64_t element) const {
    return At(const_cast<void*>(buffer), element);
  }

  MPI_Datatype type = MPI_DATATYPE_NULL;       // valid as long as this object, unless is_dense
  std::shared_ptr<const MPI_Datatype> copy{};  // owns `type`; null: nobody must free it
  int64_t size_bytes = 0;
  int64_t extent_bytes = 0;
  // True if elements certainly lie in memory as in a message, without holes: they need no packing.
  bool is_dense = false;
  // True if its first byte is not at the buffer's address; it may hold absolute addresses, for
  // MPI_BOTTOM.
  bool is_displaced = false;
};

// Copy `count` elements to BytesOf(count) bytes, and back. Dense types do not need MPI. Return
// MPI's error class if it fails.
int Pack(const Datatype& datatype, const void* elements, int64_t count, MPI_Comm comm, char* bytes);
int Unpack(const Datatype& datatype, const char* bytes, int64_t count, MPI_Comm comm,
           void* elements);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_PACKING_H_
