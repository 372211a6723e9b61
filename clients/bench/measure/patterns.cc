#include "bench/measure/patterns.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/measure/pattern_run.h"
#include "bench/measure/sampling.h"
#include "bench/pacer.h"
#include "bench/pattern_plan.h"
#include "console/units.h"

namespace cox::bench {
namespace {

// A pattern's buffers take at most this part of a rank's share of the free memory.
constexpr double kMemoryShare = 0.25;
constexpr int64_t kMostBufferBytes = int64_t{256} << 20;

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
  const double share = kMemoryShare * static_cast<double>(job.available_bytes) / job.ppn;
  shape.rank_bytes = std::min(kMostBufferBytes, static_cast<int64_t>(share));
  return shape;
}

// What happened to the cells, for the notes.
struct Tally {
  int left_out = 0;
  int hidden = 0;
};

class Measuring {
 public:
  Measuring(const Job& job, const Options& options, double budget_s, int cells, Output* output,
            Progress* progress)
      : job_(job),
        options_(options),
        end_s_(MPI_Wtime() + 2 * budget_s),
        pacer_(MPI_Wtime(), budget_s, cells),
        output_(output),
        progress_(progress) {}

  // Cells of one level and number of ranks.
  void Run(std::vector<PatternCell>::iterator begin, std::vector<PatternCell>::iterator end) {
    std::vector<int> ranks = RanksOf(job_, begin->level);
    ranks.resize(begin->ranks);
    const bool is_active = std::find(ranks.begin(), ranks.end(), job_.rank) != ranks.end();
    MPI_Comm active = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, is_active ? 0 : MPI_UNDEFINED, job_.rank, &active);
    const bool yielding = begin->level == "node" && begin->ranks > job_.processors;
    // The same order everywhere: all ranks have the same seed.
    std::shuffle(begin, end, std::mt19937_64(options_.seed));
    for (auto cell = begin; is_active && cell != end; ++cell) Measure(active, *cell, yielding);
    if (is_active) MPI_Comm_free(&active);
    IdleBarrier(MPI_COMM_WORLD);
  }

  void PrintNotes() const {
    if (job_.rank != 0) return;
    progress_->Clear();
    if (tally_.left_out > 0) {
      absl::FPrintF(stderr, "cox-bench: no time was left for %d patterns: a larger --budget-s\n",
                    tally_.left_out);
    }
    if (tally_.hidden > 0) {
      absl::FPrintF(stderr, "cox-bench: %d overheads are too small to be seen here: no rows\n",
                    tally_.hidden);
    }
    if (pacer_.unsettled() > 0) {
      absl::FPrintF(
          stderr,
          "cox-bench: %d of %d medians of patterns have an error above 5 %%: use a larger "
          "--budget-s or a quieter machine\n",
          pacer_.unsettled(), pacer_.cells());
    }
  }

 private:
  bool leads() const { return job_.rank == 0; }

  void Measure(MPI_Comm active, const PatternCell& cell, bool yielding) {
    int late = leads() && MPI_Wtime() > end_s_ ? 1 : 0;
    MPI_Bcast(&late, 1, MPI_INT, 0, active);
    if (late != 0) {
      ++tally_.left_out;
      return;
    }
    if (leads()) {
      pacer_.StartCell(MPI_Wtime());
      progress_->Show(
          pacer_, MPI_Wtime(),
          absl::StrFormat("%s %s, ranks: %d, messages: %d, %s", cell.level, KindName(cell.kind),
                          cell.ranks, cell.messages, console::FormatBytes(cell.block_bytes)));
    }
    PatternRun run(active, cell, yielding);
    const std::vector<double> times_s =
        TakeSamples(active, leads() ? &pacer_ : nullptr, [&run] { return run.Sample(); });
    if (!leads()) return;
    const Summary summary = Summarise(times_s);
    pacer_.FinishCell(summary);
    if (summary.median_s > 0) {
      output_->Write(cell, times_s);
    } else {
      ++tally_.hidden;
    }
  }

  const Job& job_;
  const Options& options_;
  double end_s_;
  Pacer pacer_;
  Output* output_;
  Progress* progress_;
  Tally tally_;
};

}  // namespace

void MeasurePatterns(const Job& job, const Options& options, double budget_s, Output* output,
                     Progress* progress) {
  std::vector<PatternCell> cells = PlanPatterns(options.kinds, ShapeOf(job), options.pattern_sizes);
  if (cells.empty()) return;
  Measuring measuring(job, options, budget_s, static_cast<int>(cells.size()), output, progress);
  for (auto begin = cells.begin(); begin != cells.end();) {
    const auto end = std::find_if(begin, cells.end(), [&](const PatternCell& cell) {
      return cell.level != begin->level || cell.ranks != begin->ranks;
    });
    measuring.Run(begin, end);
    begin = end;
  }
  measuring.PrintNotes();
}

}  // namespace cox::bench
