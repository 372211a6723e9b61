#include "bench/measure/patterns.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/measure/pattern_timing.h"
#include "bench/pattern_plan.h"
#include "console/units.h"

namespace cox::bench {
namespace {

// The world ranks that a level's cells run on: the first `cell.ranks` of them.
std::vector<int> RanksOf(const Job& job, const std::string& level) {
  if (level == "self") return {0};
  if (level == "node") return job.nodes[0];
  std::vector<int> ranks;
  ranks.reserve(job.nodes.size());
  for (const std::vector<int>& node : job.nodes) ranks.push_back(node.front());
  return ranks;
}

PatternShape ShapeOf(const Job& job) {
  PatternShape shape;
  shape.node_ranks = static_cast<int64_t>(job.nodes[0].size());
  shape.network_ranks = static_cast<int64_t>(job.nodes.size());
  shape.rank_bytes = PatternMemoryBytes(job);
  return shape;
}

// Cells of one level and number of ranks.
void MeasureGroup(const Job& job, uint64_t seed, std::vector<PatternCell>::iterator begin,
                  std::vector<PatternCell>::iterator end, PatternTiming* timing, Output* output) {
  std::vector<int> ranks = RanksOf(job, begin->level);
  ranks.resize(begin->ranks);
  const bool is_active = std::find(ranks.begin(), ranks.end(), job.rank) != ranks.end();
  MPI_Comm active = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_active ? 0 : MPI_UNDEFINED, job.rank, &active);
  const bool yielding = begin->level == "node" && begin->ranks > job.processors;
  // The same order everywhere: all ranks have the same seed.
  std::shuffle(begin, end, std::mt19937_64(seed));
  for (auto cell = begin; is_active && cell != end; ++cell) {
    const std::vector<double> times_s = timing->Time(
        active, *cell,
        absl::StrFormat("%s %s, ranks: %d, messages: %d, %s", cell->level, KindName(cell->kind),
                        cell->ranks, cell->messages, console::FormatBytes(cell->block_bytes)),
        yielding);
    if (!times_s.empty()) output->Write(*cell, times_s);
  }
  if (is_active) MPI_Comm_free(&active);
  IdleBarrier(MPI_COMM_WORLD);
}

}  // namespace

void MeasurePatterns(const Job& job, const Options& options, double budget_s, Output* output,
                     Progress* progress) {
  std::vector<PatternCell> cells = PlanPatterns(options.kinds, ShapeOf(job), options.pattern_sizes);
  if (cells.empty()) return;
  PatternTiming timing(job, budget_s, static_cast<int>(cells.size()), progress);
  for (auto begin = cells.begin(); begin != cells.end();) {
    const auto end = std::find_if(begin, cells.end(), [&](const PatternCell& cell) {
      return cell.level != begin->level || cell.ranks != begin->ranks;
    });
    MeasureGroup(job, options.seed, begin, end, &timing, output);
    begin = end;
  }
  timing.PrintNotes();
}

}  // namespace cox::bench
