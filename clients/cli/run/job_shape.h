// Finds the shape of an MPI job that is about to start, from its launcher's words and the
// scheduler's environment. Reads the environment through a function and, for PBS, one file.
// Any thread.
#ifndef COX_CLI_RUN_JOB_SHAPE_H_
#define COX_CLI_RUN_JOB_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tuning/tuning_cache.h"

namespace cox::cli {

using tuning::Environment;
using tuning::JobShape;

// The kinds of launchers whose words are understood.
enum class LauncherKind { kNone, kOpenMpi, kHydra, kSrun };

// By the program's name, links followed ("/usr/bin/mpirun" may be Open MPI's orterun).
LauncherKind KindOfLauncher(const std::string& program);

// What a launcher's words say; 0 where they do not.
struct LauncherWords {
  LauncherKind kind = LauncherKind::kNone;
  int64_t ranks = 0;
  int64_t nodes = 0;
  int64_t ppn = 0;
  bool hosts_named = false;  // so that nodes cannot be told from the words
  size_t program_at = 0;     // index of the MPI program; the number of words where it is not found
};

// Reads up to the MPI program. INVALID_ARGUMENT where several programs are started at once.
absl::StatusOr<LauncherWords> ReadLauncherWords(const std::vector<std::string>& command);

// One of the `count` tasks that a launcher has started.
struct StepTask {
  int64_t rank = 0;
  int64_t count = 0;
};

// This process as the variables of Slurm, Open MPI's launcher or Hydra say it. None where there is
// no other task: the shell of a batch script has a rank, but is alone.
std::optional<StepTask> FindStepTask(const Environment& environment);

// `given` is what the user said, 0 where nothing: it goes first, then the launcher's words, then
// the environment (a step's or a job's of Slurm, PBS). A launcher with a number of ranks and
// without scheduler or hosts starts them on this computer. FAILED_PRECONDITION says what is missing
// or that nodes are not filled alike.
absl::StatusOr<JobShape> FindJobShape(const JobShape& given, const LauncherWords& words,
                                      const Environment& environment);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_JOB_SHAPE_H_
