// cox-bench: reads arguments, starts and ends MPI, writes the output.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "bench/job.h"
#include "bench/library_id.h"
#include "bench/measure/blocks.h"
#include "bench/measure/collective_timing.h"
#include "bench/measure/patterns.h"
#include "bench/measure/ping_pong.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/progress.h"
#include "bench/suite/suite.h"

namespace {

using cox::bench::Job;
using cox::bench::Options;
using cox::bench::Output;
using cox::bench::Progress;

constexpr int kFailed = 1;
constexpr int kUsage = 2;

// The host's name without its domain.
std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const std::string text(name);
  return text.substr(0, text.find('.'));
}

// Whether this process prints for the job, before MPI_Init tells its rank.
bool IsFirstByEnvironment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable); rank != nullptr) return std::string(rank) == "0";
  }
  return true;
}

int ExitCode(const absl::Status& status) {
  if (status.ok()) return 0;
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

// Every model is fitted mostly to ping-pongs: beside other kinds they get half of the time.
absl::Status MeasureMessages(const Job& job, const Options& options, Output* output,
                             Progress* progress) {
  absl::Status status;
  double left_s = options.budget_s;
  if (std::count(options.kinds.begin(), options.kinds.end(), cox::bench::Kind::kPingPong) > 0) {
    const double share = options.kinds.size() > 1 ? 0.5 : 1;
    status = cox::bench::MeasurePingPongs(job, options, share * left_s, output, progress);
    left_s -= share * left_s;
  }
  if (absl::IsInvalidArgument(status)) return status;
  cox::bench::MeasurePatterns(job, options, left_s, output, progress);
  return status;
}

absl::Status MeasureMode(const Job& job, const Options& options, Output* output,
                         Progress* progress) {
  switch (options.mode) {
    case Options::Mode::kPointToPoint:
      return MeasureMessages(job, options, output, progress);
    case Options::Mode::kBlocks:
      return cox::bench::MeasureBlocks(job, options, output, progress);
    default:
      return cox::bench::MeasureCollectives(job, options, output, progress);
  }
}

// Returns the job's exit code, the same on every rank; rank 0 prints the reason.
int Measure(const Job& job, const Options& options) {
  const bool leads = job.rank == 0;
  Output output(options);
  Progress progress(options.progress);
  absl::Status status = leads ? output.Open() : absl::OkStatus();
  int code = ExitCode(status);
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (code == 0) {
    status = MeasureMode(job, options, &output, &progress);
    // After wrong arguments there is no file; after a wrong result the rows of the other cells
    // stay.
    if (leads && !absl::IsInvalidArgument(status)) {
      const absl::Status closed = output.Close();
      if (status.ok()) status = closed;
    }
    code = ExitCode(status);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (leads && !status.ok()) {
    std::fprintf(stderr, "cox-bench: %s\n", std::string(status.message()).c_str());
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const cox::bench::ParseOutcome parsed =
      cox::bench::ParseOptions(argc, argv, cox::bench::LibraryId(), HostName());
  // Only the rank that prints the reason fails: Open MPI ends a job when its first rank fails, and
  // may then lose what another one has printed.
  if (!parsed.options.has_value()) {
    if (!IsFirstByEnvironment()) return 0;
    std::fputs(parsed.out.c_str(), stdout);
    std::fputs(parsed.err.c_str(), stderr);
    return parsed.exit_code;
  }
  if (parsed.options->mode == Options::Mode::kSuite) {
    return cox::bench::RunSuite(parsed.options->suite, std::cout, std::cerr);
  }
  MPI_Init(&argc, &argv);
  const Job job = cox::bench::DescribeJob();
  const int code = Measure(job, *parsed.options);
  MPI_Finalize();
  return job.rank == 0 ? code : 0;
}
