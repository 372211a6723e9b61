#include "bench/measure/collective_timing.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/collective_names.h"
#include "bench/measure/collective_call.h"
#include "bench/measure/collective_function.h"
#include "bench/measure/common_start.h"
#include "bench/measure/sampling.h"
#include "bench/pacer.h"
#include "console/units.h"
#include "domain/collective.h"

namespace cox::bench {
namespace {

struct Cell {
  std::string name;
  domain::Collective collective;
  int64_t block_bytes;
};

using Asked = std::vector<std::pair<std::string, int64_t>>;

// The cells that the command line names, or every size of every collective.
Asked AskedCells(const Options& options) {
  if (!options.cells.empty()) return options.cells;
  Asked asked;
  for (const std::string& name : options.collectives) {
    for (const int64_t block_bytes : options.sizes) asked.emplace_back(name, block_bytes);
  }
  return asked;
}

std::vector<Cell> PlanCells(const Asked& asked, uint64_t seed) {
  std::vector<Cell> cells;
  for (const auto& [name, block_bytes] : asked) {
    const domain::Collective collective = *FindCollective(name);
    if (block_bytes % TypeBytes(collective) == 0) cells.push_back({name, collective, block_bytes});
  }
  std::shuffle(cells.begin(), cells.end(), std::mt19937_64(seed));
  return cells;
}

// The algorithms' temporary buffers are about as large as the program's.
absl::Status CheckMemory(const Job& job, const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    const BufferBytes bytes = BuffersOf(cell.collective, cell.block_bytes, job.rank_count);
    const int64_t need_bytes = 2 * (bytes.send + bytes.receive) * job.ppn;
    if (need_bytes > job.available_bytes / 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--sizes: ", cell.name, " of ", console::FormatBytes(cell.block_bytes), " on ",
          job.rank_count, " ranks needs ", need_bytes >> 20,
          " MiB on a node, more than half of the ", job.available_bytes >> 20, " free MiB"));
    }
  }
  return absl::OkStatus();
}

CollectiveCall MakeCall(const Options& options, const std::string& name, int64_t block_bytes) {
  const domain::Collective collective = *FindCollective(name);
  return {collective, block_bytes,
          FindFunction(options.TimesCoxcoll() ? CoxcollFunctions() : MpiFunctions(), collective),
          options.AlgorithmOf(name)};
}

// libcoxcoll refuses algorithms that this number of ranks does not allow: on all ranks, before it
// sends anything.
absl::Status CheckAlgorithms(const Options& options) {
  if (!options.TimesCoxcoll()) return absl::OkStatus();
  if (CoxcollFunctions().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--library: this cox-bench was built without ", kCoxcoll));
  }
  for (const std::string& name : options.collectives) {
    if (MakeCall(options, name, 1).Try() != MPI_SUCCESS) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label: ", name, "=", options.AlgorithmOf(name), ": ", CoxcollError()));
    }
  }
  return absl::OkStatus();
}

// Seconds from a common start, or, without one, from the moment when this rank leaves a barrier.
double TimeCall(CollectiveCall& call, const CommonStart* common) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = common == nullptr ? MPI_Wtime() : common->Await();
  call.Run();
  return MPI_Wtime() - start_s;
}

// A second warm-up. Returns its seconds, the same on all ranks.
double TimeOnce(CollectiveCall& call) {
  double time_s = TimeCall(call, nullptr);
  MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time_s;
}

// Makes the first call, a warm-up. Returns how many ranks have a wrong result.
int WrongRanks(CollectiveCall& call) {
  call.Run();
  int wrong = call.IsRight() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

void Write(const Job& job, const Cell& cell, const std::vector<double>& times_s, Output* output) {
  CollectiveRow row;
  row.collective = cell.name;
  row.nodes = static_cast<int64_t>(job.nodes.size());
  row.ppn = job.ppn;
  row.ranks = job.rank_count;
  row.block_bytes = cell.block_bytes;
  row.type_bytes = TypeBytes(cell.collective);
  output->Write(row, times_s);
}

void PrintNotes(size_t left_out, const Pacer& pacer) {
  if (left_out > 0) {
    absl::FPrintF(stderr,
                  "cox-bench: %d reductions left out: their sizes are not multiples of 4 bytes\n",
                  left_out);
  }
  if (pacer.unsettled() > 0) {
    absl::FPrintF(
        stderr,
        "cox-bench: %d of %d medians have an error above 5 %%: use a larger --budget-s or a "
        "quieter machine\n",
        pacer.unsettled(), pacer.cells());
  }
}

}  // namespace

absl::Status MeasureCollectives(const Job& job, const Options& options, Output* output,
                                Progress* progress) {
  if (job.rank_count < 2) {
    return absl::InvalidArgumentError(
        "collectives need at least two ranks: start cox-bench with more");
  }
  const Asked asked = AskedCells(options);
  const std::vector<Cell> cells = PlanCells(asked, options.seed);
  if (cells.empty()) {
    return absl::InvalidArgumentError("--sizes: reductions need a multiple of 4 bytes");
  }
  if (absl::Status status = CheckMemory(job, cells); !status.ok()) return status;

  if (absl::Status status = CheckAlgorithms(options); !status.ok()) return status;

  const bool leads = job.rank == 0;
  absl::Status result;
  CommonStart common;
  Pacer pacer(MPI_Wtime(), options.budget_s, static_cast<int>(cells.size()));
  for (const Cell& cell : cells) {
    if (leads) {
      pacer.StartCell(MPI_Wtime());
      progress->Show(pacer, MPI_Wtime(),
                     absl::StrFormat("%s (%s) %s", cell.name, options.ShownAlgorithmOf(cell.name),
                                     console::FormatBytes(cell.block_bytes)));
    }
    CollectiveCall call = MakeCall(options, cell.name, cell.block_bytes);
    if (const int wrong = WrongRanks(call); wrong > 0) {
      result = absl::DataLossError(
          absl::StrFormat("%s of %s with algorithm '%s' gave a wrong result on %d of %d ranks",
                          cell.name, console::FormatBytes(cell.block_bytes),
                          options.ShownAlgorithmOf(cell.name), wrong, job.rank_count));
      if (leads) pacer.FinishCell(Summary{});
      continue;
    }
    const bool together = common.Suits(TimeOnce(call));
    if (together) common.Compare();
    const std::vector<double> times_s = TakeSamples(MPI_COMM_WORLD, leads ? &pacer : nullptr, [&] {
      return TimeCall(call, together ? &common : nullptr);
    });
    if (leads) {
      pacer.FinishCell(Summarise(times_s));
      Write(job, cell, times_s, output);
    }
  }
  if (leads) {
    progress->Clear();
    PrintNotes(asked.size() - cells.size(), pacer);
  }
  return result;
}

}  // namespace cox::bench
