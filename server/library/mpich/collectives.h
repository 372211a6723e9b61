// The collectives of MPICH 4.0's selection tree, and a call of one: what its tests are compared
// with. Immutable, any thread.
#ifndef COX_LIBRARY_MPICH_COLLECTIVES_H_
#define COX_LIBRARY_MPICH_COLLECTIVES_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/mpich/test.h"

namespace cox::library {

struct MpichCollective {
  // What total_msg_size is: nothing (the library aborts at the first call), bytes of all blocks, or
  // the number of their elements: the library forgets to multiply by the size of the type.
  enum class Total : uint8_t { kNone, kBytes, kElements };
  // What count is: nothing (aborts), that of the call, or the sum over all ranks.
  enum class Count : uint8_t { kNone, kOfCall, kOfAll };

  absl::string_view name;    // "iallgather"
  absl::string_view prefix;  // of its algorithms' names: "MPIR_Iallgather_"
  bool has_average;          // avg_msg_size; where not, the library aborts at the first call
  Total total;
  Count count;
  bool has_commutative;  // so the questions; where not, the library aborts at the first call
  bool has_op_built_in;
  bool has_in_place;
  bool has_block_regular;
  bool intra_only;  // MPI does not define it for two groups
};

// All that a selection file can name, and must.
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

  // What the tests compare; nullopt where the library aborts. No overflow: at most INT64_MAX.
  std::optional<int64_t> AverageBytes() const;
  std::optional<int64_t> TotalSize() const;
  std::optional<int64_t> Count() const;
};

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_COLLECTIVES_H_
