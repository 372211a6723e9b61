// The size of a call, from its arguments: communicator size, block_bytes (as in
// cox/v1/observation.proto) and the size of one element. Local queries only.
//
// Which rank's time is the collective's time? A root that only sends, or a rank that only
// contributes, leaves long before the collective ends. So these ranks report:
//   bcast, scatter                  the receivers (on one rank: the root)
//   reduce, gather(v), scatterv     the root (only it knows scatterv's mean block)
//   scan, exscan                    the last rank
//   all others                      every rank
// The other ranks skip the call.
//
// Inter-communicators and sizes beyond 2^62 bytes cannot be reported and are dropped. Call after a
// successful call, on any thread.
#ifndef COX_AGENT_WRAPPERS_SHAPES_H_
#define COX_AGENT_WRAPPERS_SHAPES_H_

#include <mpi.h>

#include <cstdint>

#include "agent/job/library.h"
#include "agent/timing/recorder.h"
#include "agent/timing/size_class.h"
#include "domain/limits.h"

namespace cox::agent {

inline int64_t ToCount(int count) { return count; }
inline int64_t ToCount(MPI_Count count) { return count; }
inline int ToRank(int rank) { return rank; }
inline MPI_Comm ToComm(MPI_Comm comm) { return comm; }
inline MPI_Datatype ToType(MPI_Datatype type) { return type; }
inline MPI_Op ToOp(MPI_Op op) { return op; }
#ifdef OPEN_MPI
// Fortran passes addresses, and handles that are numbers.
inline int64_t ToCount(const MPI_Fint* count) { return *count; }
inline int ToRank(const MPI_Fint* rank) { return *rank; }
inline MPI_Comm ToComm(const MPI_Fint* comm) { return library.comm_f2c(*comm); }
inline MPI_Datatype ToType(MPI_Fint type) { return library.type_f2c(type); }
inline MPI_Datatype ToType(const MPI_Fint* type) { return library.type_f2c(*type); }
inline MPI_Op ToOp(const MPI_Fint* op) { return library.op_f2c(*op); }
#endif
// Converts a buffer of C or Fortran to C's.
inline void* ToBuffer(const void* buffer) {
  if (IsInPlace(buffer)) return MPI_IN_PLACE;
  for (const void* bottom : library.fortran_bottom) {
    if (bottom != nullptr && buffer == bottom) return MPI_BOTTOM;
  }
  return const_cast<void*>(buffer);
}

// 0 for an inter-communicator.
inline int CommSize(MPI_Comm comm) {
  if (comm == library.world) [[likely]]
    return library.world_size;
  int inter = 1;
  int size = 0;
  if (library.comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return 0;
  return library.comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

inline int CommRank(MPI_Comm comm) {
  if (comm == library.world) [[likely]]
    return library.world_rank;
  int rank = -1;
  library.comm_rank(comm, &rank);
  return rank;
}

// `size` ranks that transfer nothing, with the API's value for an unknown element size.
inline Shape MakeEmptyShape(int size) {
  constexpr int64_t kNoElement = 4;
  return size < 1 ? Shape{} : Shape{Shape::kRecord, size, 0, kNoElement};
}

// `size` ranks with this block each; dropped for size 0 and for sizes that cannot be reported.
inline Shape MakeShape(int size, int64_t count, MPI_Datatype type) {
  if (count == 0) return MakeEmptyShape(size);
  int64_t type_bytes = 0;
  int64_t block_bytes = 0;
  if (size < 1 || !TypeBytes(type, &type_bytes) ||
      __builtin_mul_overflow(count, type_bytes, &block_bytes) || block_bytes < 0 ||
      block_bytes > domain::kMaxBlockBytes) {
    return {};
  }
  return {Shape::kRecord, size, block_bytes, type_bytes > 0 ? type_bytes : 1};
}

// Every rank reports.
inline Shape WholeCall(MPI_Comm comm, int64_t count, MPI_Datatype type) {
  return MakeShape(CommSize(comm), count, type);
}

// Every rank reports a call without data: a barrier.
inline Shape EmptyCall(MPI_Comm comm) { return MakeEmptyShape(CommSize(comm)); }

// Another rank reports the call.
inline Shape Skipped() { return {Shape::kSkip, 0, 0, 0}; }

// Converts types only on the ranks where they are significant.
template <typename Type>
Shape CallOnRoot(MPI_Comm comm, int root, int64_t count, Type type) {
  const int size = CommSize(comm);
  if (size < 1) return {};
  if (CommRank(comm) != root) return Skipped();
  return MakeShape(size, count, ToType(type));
}

// All ranks but the root report; on one rank, the root.
inline Shape CallOffRoot(MPI_Comm comm, int root, int64_t count, MPI_Datatype type) {
  const int size = CommSize(comm);
  if (size > 1 && CommRank(comm) == root) return Skipped();
  return MakeShape(size, count, type);
}

// The last rank reports.
inline Shape CallOnLast(MPI_Comm comm, int64_t count, MPI_Datatype type) {
  const int size = CommSize(comm);
  if (size > 0 && CommRank(comm) != size - 1) return Skipped();
  return MakeShape(size, count, type);
}

template <typename Type>
Shape ScatterCall(MPI_Comm comm, int root, int64_t sendcount, Type sendtype, int64_t recvcount,
                  Type recvtype) {
  const int size = CommSize(comm);
  if (size == 1) return MakeShape(size, sendcount, ToType(sendtype));
  if (size > 1 && CommRank(comm) == root) return Skipped();
  return size < 1 ? Shape{} : MakeShape(size, recvcount, ToType(recvtype));
}

// The mean of `size` numbers, rounded; their size class if they differ.
inline int64_t MeanBlock(int64_t sum, int size, bool are_equal) {
  const int64_t mean = (sum + size / 2) / size;
  return are_equal ? mean : SizeClassOf(mean);
}

// The mean block of the counts.
template <typename Counts>
Shape MeanOf(int size, Counts counts, MPI_Datatype type) {
  if (size < 1) return {};
  int64_t sum = 0;
  bool are_equal = true;
  for (int i = 0; i < size; ++i) {
    sum += static_cast<int64_t>(counts[i]);
    are_equal = are_equal && counts[i] == counts[0];
  }
  return MakeShape(size, MeanBlock(sum, size, are_equal), type);
}

template <typename Counts>
Shape MeanCall(MPI_Comm comm, Counts counts, MPI_Datatype type) {
  return MeanOf(CommSize(comm), counts, type);
}

template <typename Counts, typename Type>
Shape MeanCallOnRoot(MPI_Comm comm, int root, Counts counts, Type type) {
  const int size = CommSize(comm);
  if (size < 1) return {};
  if (CommRank(comm) != root) return Skipped();
  return MeanOf(size, counts, ToType(type));
}

// With the element size of the first block that is not empty.
template <typename Counts, typename Types>
Shape MeanCallOfTypes(MPI_Comm comm, Counts counts, Types types) {
  const int size = CommSize(comm);
  if (size < 1) return {};
  int64_t sum_bytes = 0;
  int64_t first_bytes = 0;
  int64_t type_bytes = MakeEmptyShape(size).type_bytes;
  bool are_equal = true;
  for (int i = 0; i < size; ++i) {
    const int64_t count = static_cast<int64_t>(counts[i]);
    // Fortran's handle of an empty block need not be valid either.
    const Shape one = count == 0 ? MakeEmptyShape(size) : MakeShape(size, count, ToType(types[i]));
    if (one.verdict != Shape::kRecord ||
        __builtin_add_overflow(sum_bytes, one.block_bytes, &sum_bytes)) {
      return {};
    }
    if (sum_bytes == one.block_bytes && one.block_bytes > 0) type_bytes = one.type_bytes;
    if (i == 0) first_bytes = one.block_bytes;
    are_equal = are_equal && one.block_bytes == first_bytes;
  }
  return {Shape::kRecord, size, MeanBlock(sum_bytes, size, are_equal), type_bytes};
}

}  // namespace cox::agent

#endif  // COX_AGENT_WRAPPERS_SHAPES_H_
