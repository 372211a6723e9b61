// Runs experiments: starts their jobs and asks cox for predictions. One thread; one program at a
// time; an interrupt ends it.
#ifndef COX_BENCH_SUITE_JOBS_H_
#define COX_BENCH_SUITE_JOBS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/suite/options.h"
#include "bench/suite/outcome.h"
#include "bench/suite/plan.h"

namespace cox::bench {

// The paths of the programs.
struct SuitePrograms {
  std::string cox;
  std::string examples;               // folder
  std::string mpi;                    // suffix of the examples
  std::vector<std::string> launcher;  // with {ranks} for the number of ranks
};

// NOT_FOUND names what is missing; INVALID_ARGUMENT for a malformed launcher.
absl::StatusOr<SuitePrograms> FindSuitePrograms(const SuiteOptions& options);

// Runs the program, which writes its messages to a file in `folder`, and asks cox about them or
// about the kernel. The status names the failed program and its last line of output.
absl::StatusOr<Outcome> RunExperiment(const SuitePrograms& programs, const SuiteOptions& options,
                                      const Experiment& experiment, const std::string& folder);

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_JOBS_H_
