// What modes p2p and blocks can measure, as a table, and which cells of p2p's kinds suit a job.
//
// Needs no MPI; pattern_run.h runs the kinds. Pure, any thread.
#ifndef COX_BENCH_PATTERN_PLAN_H_
#define COX_BENCH_PATTERN_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::bench {

enum class Kind {
  kPingPong,
  kGap,
  kOverheadSend,
  kOverheadReceive,
  kNotice,
  kConverge,
  kFlood,
  kHRelation,
  kScatter,
  kPermutation,
  kBlockPermutation,
  kBarrier,
  kCopy,
  kReduce,
  kAllToAll,
  kPairs,
  kPairsAcross,
};

// What a kind measures, and its name in the rows.
struct KindCard {
  Kind kind;
  absl::string_view name;
  absl::string_view what;  // one line
};

// Those of mode p2p, the ping-pong first.
absl::Span<const KindCard> Kinds();
const KindCard* FindKind(absl::string_view name);  // null for a kind that mode p2p lacks
// Those of mode blocks; block_plan.h says which network needs which.
absl::Span<const KindCard> BlockKinds();
absl::string_view KindName(Kind kind);

// One thing to time.
struct PatternCell {
  Kind kind = Kind::kPingPong;
  std::string level;        // "self", "node" or "network"
  int64_t ranks = 1;        // that take part
  int64_t messages = 1;     // that the busiest rank sends or receives in the timed interval
  int64_t senders = 1;      // ranks that send
  int64_t block_bytes = 0;  // of one message
};

// What a job has to measure with: ranks of one node, and nodes (one rank of each takes part).
struct PatternShape {
  int64_t node_ranks = 1;
  int64_t network_ranks = 1;
  int64_t rank_bytes = 0;  // buffers that a rank may have
};

// The cells of `kinds`, without ping-pongs, for these message sizes (ascending). Counts of ranks,
// of messages and of senders double. Leaves out cells that need more ranks or larger buffers than
// the job has. Cells with the same ranks and level are neighbours.
std::vector<PatternCell> PlanPatterns(absl::Span<const Kind> kinds, const PatternShape& shape,
                                      absl::Span<const int64_t> sizes);

// Bytes of the two buffers that a rank needs for the cell.
int64_t PatternBytes(const PatternCell& cell);

}  // namespace cox::bench

#endif  // COX_BENCH_PATTERN_PLAN_H_
