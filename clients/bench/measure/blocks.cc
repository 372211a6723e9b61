#include "bench/measure/blocks.h"

#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "bench/block_plan.h"
#include "bench/measure/pattern_timing.h"
#include "console/units.h"

namespace cox::bench {
namespace {

// The ranks in their order as a communicator; MPI_COMM_NULL on the other ranks of the job.
MPI_Comm CommunicatorOf(const Job& job, const std::vector<int>& ranks) {
  const auto found = std::find(ranks.begin(), ranks.end(), job.rank);
  MPI_Comm active = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, found != ranks.end() ? 0 : MPI_UNDEFINED,
                 static_cast<int>(found - ranks.begin()), &active);
  return active;
}

// Whether a node runs more of these ranks than it has processors.
bool ShareProcessors(const Job& job, const std::vector<int>& ranks) {
  return std::any_of(job.nodes.begin(), job.nodes.end(), [&](const std::vector<int>& node) {
    return std::count_if(node.begin(), node.end(), [&](int rank) {
             return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
           }) > job.processors;
  });
}

}  // namespace

absl::Status MeasureBlocks(const Job& job, const Options& options, Output* output,
                           Progress* progress) {
  absl::StatusOr<std::vector<BlockCell>> cells =
      PlanBlocks(options.network, FramesOf(job.nodes, options.network, options.frame_nodes),
                 options.counts, options.sizes, PatternMemoryBytes(job));
  if (!cells.ok()) return cells.status();
  const Ranks counting = options.mean_of_ranks ? Ranks::kMean : Ranks::kSlowest;
  PatternTiming timing(job, options.budget_s, static_cast<int>(cells->size()), progress);
  for (auto begin = cells->begin(); begin != cells->end();) {
    const auto end = std::find_if(begin, cells->end(), [&](const BlockCell& cell) {
      return cell.ranks != begin->ranks || cell.pattern.kind != begin->pattern.kind;
    });
    const bool yielding = ShareProcessors(job, begin->ranks);
    MPI_Comm active = CommunicatorOf(job, begin->ranks);
    // The same order everywhere: all ranks have the same seed.
    std::shuffle(begin, end, std::mt19937_64(options.seed));
    for (; begin != end; ++begin) {
      if (active == MPI_COMM_NULL) continue;
      const PatternCell& pattern = begin->pattern;
      const std::vector<double> times_s =
          timing.Time(active, pattern,
                      absl::StrFormat("%s, n: %d, %s", KindName(pattern.kind), begin->n,
                                      console::FormatBytes(pattern.block_bytes)),
                      yielding, counting);
      if (!times_s.empty()) output->Write(*begin, times_s);
    }
    if (active != MPI_COMM_NULL) MPI_Comm_free(&active);
    IdleBarrier(MPI_COMM_WORLD);
  }
  timing.PrintNotes();
  return absl::OkStatus();
}

}  // namespace cox::bench
