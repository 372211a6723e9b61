// The environment of a job that measures: the timings of an algorithm must be this algorithm's.
// Pure, any thread.
#ifndef COX_CLI_MEASURE_BENCH_ENVIRONMENT_H_
#define COX_CLI_MEASURE_BENCH_ENVIRONMENT_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "console/child_process.h"

namespace cox::cli {

// How the environment of a job differs from the surrounding one.
struct EnvironmentChange {
  std::map<std::string, std::string> set;
  std::set<std::string> without;
};

// Takes back what hooks have set for the surrounding job, and keeps Slurm's hooks from tuning this
// one: a calibration inside of a tuned batch script measures untuned.
EnvironmentChange WithoutHooks(const std::map<std::string, std::string>& environment);

// Gives a command this environment, and the variables of its `own`, which come before `change`.
void SetEnvironment(const EnvironmentChange& change, std::map<std::string, std::string> own,
                    console::ChildCommand* command);

// FAILED_PRECONDITION names a variable of `environment`, beside those of hooks, or a word of the
// launcher that tunes `mpi` ("openmpi", "mpich"), and says what to do.
absl::Status CheckUntuned(const std::string& mpi, const std::vector<std::string>& launcher,
                          const std::map<std::string, std::string>& environment);

}  // namespace cox::cli

#endif  // COX_CLI_MEASURE_BENCH_ENVIRONMENT_H_
