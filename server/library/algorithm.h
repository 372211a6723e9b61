// A library's name for an algorithm, and what the algorithm needs to run as itself. Data: each
// library's rows are in the files of its folder.
#ifndef COX_LIBRARY_ALGORITHM_H_
#define COX_LIBRARY_ALGORITHM_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "strategy/scenario.h"

namespace cox::library {

// What a row needs from the call. A combination is a bit-or.
enum Precondition : uint32_t {
  kNone = 0,
  kPowerOfTwoRanks = 1u << 0,
  kEvenRanks = 1u << 1,
  kTwoRanks = 1u << 2,
  kElementsAtLeastRanks = 1u << 3,
  kCommutative = 1u << 4,                // runs as itself only for a commutative operation
  kElementsAtLeastPowerOfTwo = 1u << 5,  // elements >= the largest power of two <= ranks
  kTwoElements = 1u << 6,                // at least
  kInPlace = 1u << 7,                    // the call passes MPI_IN_PLACE
  kSharedNodes = 1u << 8,                // several nodes, and several ranks on one
  kAbortsElsewhere = 1u << 9,            // forced where its other needs are not met, the job ends
  kSquareRanks = 1u << 10,
  kFourthPowerRanks = 1u << 11,
  kSharedNode = 1u << 12,  // several ranks on one node
  // One type to send and to receive, on all ranks. Elsewhere it runs with wrong results, so only
  // who chooses for unseen calls asks for it.
  kOneType = 1u << 13,
};

// One more need: more ranks than this, 1..65535. With fewer, another row is the same algorithm.
inline constexpr int kMoreRanksShift = 16;
constexpr uint32_t MoreRanksThan(uint32_t ranks) { return ranks << kMoreRanksShift; }

// "even ranks, commutative operation"; "" for none.
std::string DescribeNeeds(uint32_t needs);

struct Algorithm {
  absl::string_view library;  // "openmpi-4.1"
  domain::Collective collective;
  absl::string_view native_name;  // "modified_bruck"
  int native_id;                  // the number the library takes; -1 where it takes names only
  absl::string_view strategy;  // "alltoall/bruck", "" where the catalogue has no structure for it
  uint32_t needs;              // Preconditions under which it runs as itself
  absl::string_view
      fallback;  // native_name that silently runs when `needs` are not met; "" = error
  bool safe_for_any_operation;  // right results also for non-commutative operations
  absl::string_view source;     // where this row is from
};

// What the caller promises about every call of a job, beyond the scenario.
struct Assumptions {
  bool commutative = false;              // all reductions have commutative operations
  bool elements_at_least_ranks = false;  // every call has as many elements as ranks, or none
  // All ranks give a call the same count and type, and the same to send as to receive.
  bool same_counts = false;
  friend bool operator==(const Assumptions&, const Assumptions&) = default;
};

// The calls that nearly all programs make.
inline constexpr Assumptions kUsualCalls{.commutative = true};

}  // namespace cox::library

#endif  // COX_LIBRARY_ALGORITHM_H_
