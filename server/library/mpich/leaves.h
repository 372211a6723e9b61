// The algorithms that a selection file of MPICH 4.0.2 can name, and what each needs of its calls.
// The library does not check these needs. Immutable, any thread.
#ifndef COX_LIBRARY_MPICH_LEAVES_H_
#define COX_LIBRARY_MPICH_LEAVES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::library {

// The needs of a leaf; a combination is a bit-or.
enum MpichNeed : uint32_t {
  kMpichNothing = 0,
  kMpichPowerOfTwo = 1u << 0,       // ranks
  kMpichParent = 1u << 1,           // a communicator with parts on nodes
  kMpichNodeConsecutive = 1u << 2,  // neighbours in rank share nodes
  kMpichInPlace = 1u << 3,
  kMpichNotInPlace = 1u << 4,
  kMpichCommutative = 1u << 5,
  kMpichOpBuiltIn = 1u << 6,
  kMpichCountOfPowerOfTwo = 1u << 7,  // elements >= the largest power of two <= ranks
  kMpichBlockRegular = 1u << 8,       // equal blocks
};

struct MpichLeaf {
  absl::string_view name;  // "MPIR_Bcast_intra_binomial"
  uint32_t needs;
};

// All of them, by name.
absl::Span<const MpichLeaf> MpichLeaves();

// Null for a name that the library does not know (it aborts).
const MpichLeaf* FindMpichLeaf(absl::string_view name);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_LEAVES_H_
