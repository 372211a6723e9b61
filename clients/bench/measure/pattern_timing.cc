#include "bench/measure/pattern_timing.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "bench/measure/pattern_run.h"
#include "bench/statistics.h"

namespace cox::bench {
namespace {

constexpr double kMemoryShare = 0.25;
constexpr int64_t kMostBufferBytes = int64_t{256} << 20;

}  // namespace

PatternTiming::PatternTiming(const Job& job, double budget_s, int cells, Progress* progress)
    : job_(job),
      end_s_(MPI_Wtime() + 2 * budget_s),
      pacer_(MPI_Wtime(), budget_s, cells),
      progress_(progress) {}

std::vector<double> PatternTiming::Time(MPI_Comm active, const PatternCell& cell,
                                        const std::string& title, bool yielding, Ranks counting) {
  const bool leads = job_.rank == 0;
  int late = leads && MPI_Wtime() > end_s_ ? 1 : 0;
  MPI_Bcast(&late, 1, MPI_INT, 0, active);
  if (late != 0) {
    ++left_out_;
    return {};
  }
  if (leads) {
    pacer_.StartCell(MPI_Wtime());
    progress_->Show(pacer_, MPI_Wtime(), title);
  }
  PatternRun run(active, cell, yielding);
  std::vector<double> times_s = TakeSamples(
      active, leads ? &pacer_ : nullptr, [&run] { return run.Sample(); }, counting);
  if (!leads) return {};
  const Summary summary = Summarise(times_s);
  pacer_.FinishCell(summary);
  if (summary.median_s > 0) return times_s;
  ++hidden_;
  return {};
}

void PatternTiming::PrintNotes() const {
  if (job_.rank != 0) return;
  progress_->Clear();
  if (left_out_ > 0) {
    absl::FPrintF(stderr, "cox-bench: no time was left for %d patterns: a larger --budget-s\n",
                  left_out_);
  }
  if (hidden_ > 0) {
    absl::FPrintF(stderr, "cox-bench: %d overheads are too small to be seen here: no rows\n",
                  hidden_);
  }
  if (pacer_.unsettled() > 0) {
    absl::FPrintF(stderr,
                  "cox-bench: %d of %d medians of patterns have an error above 5 %%: use a larger "
                  "--budget-s or a quieter machine\n",
                  pacer_.unsettled(), pacer_.cells());
  }
}

int64_t PatternMemoryBytes(const Job& job) {
  const double share = kMemoryShare * static_cast<double>(job.available_bytes) / job.ppn;
  return std::min(kMostBufferBytes, static_cast<int64_t>(share));
}

}  // namespace cox::bench
