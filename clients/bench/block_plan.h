// What mode blocks measures: the patterns whose times tell the blocks of processors and network
// apart. `cox infer` reads them.
//
// Source: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of
// architectures, 1996, sections 3.1 to 3.4. Needs no MPI; pattern_run.h runs the patterns. Pure,
// any thread.
#ifndef COX_BENCH_BLOCK_PLAN_H_
#define COX_BENCH_BLOCK_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bench/pattern_plan.h"

namespace cox::bench {

enum class Network { kSharedMedium, kMultistage, kMeshRow };

// A network, its name for `cox infer`, and what is timed on it.
struct NetworkCard {
  Network network;
  absl::string_view name;
  absl::string_view what;  // one line
};

// All of them.
absl::Span<const NetworkCard> Networks();
const NetworkCard* FindNetwork(absl::string_view name);  // null for an unknown one
absl::string_view NetworkName(Network network);

// World ranks that take part, in order.
struct Frames {
  std::vector<int> first;   // of the frame of rank 0, or of the wire, or of the row
  std::vector<int> second;  // of another frame; empty: there is none
};

// The frames of a job whose nodes have these world ranks. One rank of each node takes part; in a
// job of one node all of its ranks. On a multistage network a frame is one node with all its ranks,
// or, for frame_nodes > 0, that number of consecutive nodes with one rank each.
Frames FramesOf(absl::Span<const std::vector<int>> nodes, Network network, int64_t frame_nodes);

// One thing to time.
struct BlockCell {
  PatternCell pattern;
  int64_t n = 0;           // ranks of an alltoall, pairs of the other kinds
  std::vector<int> ranks;  // world ranks, in the order of the pattern's ranks
};

// The cells of a network, for these n (empty: 1 to 8, then doubling, as far as the ranks reach) and
// message sizes (ascending). Cells with the same ranks are neighbours. INVALID_ARGUMENT for too few
// ranks, an n that the network cannot have, and buffers of more than `rank_bytes`.
absl::StatusOr<std::vector<BlockCell>> PlanBlocks(Network network, const Frames& frames,
                                                  absl::Span<const int64_t> counts,
                                                  absl::Span<const int64_t> sizes,
                                                  int64_t rank_bytes);

}  // namespace cox::bench

#endif  // COX_BENCH_BLOCK_PLAN_H_
