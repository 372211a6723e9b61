// The collectives of MPICH 4.0's selection tree, and a call with the numbers that its tests
// compare. Immutable, any thread.
#ifndef COX_LIBRARY_MPICH_COLLECTIVES_H_
#define COX_LIBRARY_MPICH_COLLECTIVES_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/mpich/condition.h"

namespace cox::library {

struct MpichCollective {
  // The meaning of total_msg_size: none (the library aborts at the first call), the bytes of all
  // blocks, or the number of their elements, where the library forgets the size of the type.
  enum class Total : uint8_t { kNone, kBytes, kElements };
  // The meaning of count: none (aborts), the call's, or the sum over all ranks.
  enum class Count : uint8_t { kNone, kOfCall, kOfAll };

  absl::string_view name;    // "iallgather"
  absl::string_view prefix;  // of its algorithms' names: "MPIR_Iallgather_"
  bool has_average;          // avg_msg_size; without it the library aborts at the first call
  Total total;
  Count count;
  bool has_commutative;  // and the next two; without it the library aborts at the first call
  bool has_op_built_in;
  bool has_in_place;
  bool has_block_regular;
  bool intra_only;  // MPI does not define it for two groups
};

// All collectives that a selection file can, and must, name.
absl::Span<const MpichCollective> MpichCollectives();

// Its index; -1 for an unknown name.
int FindMpichCollective(absl::string_view name);

struct MpichCall {
  int collective = 0;  // index of MpichCollectives()
  bool inter = false;
  int64_t comm_size = 1;  // of the local group, >= 1
  MpichHierarchy hierarchy = MpichHierarchy::kFlat;
  int64_t node_comm_size = 0;  // ranks of the communicator on the own node; 0: it has no such part
  int64_t node_count = 1;
  bool node_consecutive = false;  // neighbours in rank share nodes; false of all but kParent
  bool multi_threaded = false;
  int64_t count = 0;  // elements of the vector, or of one block; of the v variants the mean block
  int64_t type_bytes = 1;
  bool commutative = true;
  bool op_built_in = true;
  bool in_place = false;
  bool block_regular = true;

  // The number that a test compares; nullopt where the library aborts. At most INT64_MAX, without
  // overflow.
  std::optional<int64_t> AverageBytes() const;
  std::optional<int64_t> TotalSize() const;
  std::optional<int64_t> Count() const;
};

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_COLLECTIVES_H_
