// The variables that a job's environment gets: its MPI library's, and the agent's. Pure, any
// thread.
#ifndef COX_CLI_RUN_RUN_SETTINGS_H_
#define COX_CLI_RUN_RUN_SETTINGS_H_

#include <cox/v1/advice.pb.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/run/job_shape.h"

namespace cox::cli {

// The variable that lists the variables that `cox run` has set, so that a step inside a job may
// replace them: NAME:FINGERPRINT of each value, with commas. If the value has changed since, the
// user has set it. A name without a fingerprint always counts as the hook's.
inline constexpr char kSetVariable[] = "COX_SET";

using Setting = std::pair<std::string, std::string>;

struct RunSettings {
  std::vector<Setting> set;
  std::vector<std::string> unset;
  bool with_agent = false;  // it is preloaded, by `set` or already
};

// The machine's name: `given`, COX_MACHINE, SLURM_CLUSTER_NAME, else the host's short name without
// the digits that count nodes, as the agent finds it.
std::string MachineOfJob(const std::string& given, const Environment& environment,
                         const std::string& host);

// Says in which file the agent of `user` leaves timings that it cannot send, and how to import
// them.
std::string WhereTimingsStay(const Environment& environment, uid_t user);

// Whether the answer differs from the library's default anywhere.
bool ChangesSomething(const v1::GetTuningResponse& answer);

// Whether the library reads a file instead of variables. Open MPI always does. MPICH does where all
// nodes see the file's folder (`is_seen_by_all`), or where Hydra starts all ranks on this computer
// without a scheduler: a node without the file would crash an MPICH job.
bool ReadsFile(const std::string& library, const LauncherWords& words, const JobShape& shape,
               const Environment& environment, bool is_seen_by_all);

// The variables for `answer`; `text_file` holds its text where ReadsFile(), else it is empty.
// INVALID_ARGUMENT where the text sets anything but the library's tuning variables.
absl::StatusOr<std::vector<Setting>> TuningSettings(const std::string& library,
                                                    const v1::GetTuningResponse& answer,
                                                    const std::string& text_file);

struct Applying {
  std::vector<std::string> promises;  // the words of --assume
  int64_t limit_ms = 0;               // how long MPI_Init may wait for the decision table
  bool with_coxcoll = false;          // libcoxcoll may run instead of the MPI library
  double explore_ratio = 0;           // of the time of the job's collectives, for trials; 0: none
  double canary_ratio = 0;            // of the steered calls, by the library's default; 0: none
};

// The settings that make the agent apply decisions call by call. UNIMPLEMENTED where the library
// cannot switch algorithms while it runs.
absl::StatusOr<std::vector<Setting>> ApplySettings(const std::string& library,
                                                   const Applying& applying);

// The further settings of a job with trials. Half of `explore_ratio` of the job's time goes to
// timings with all ranks entering together, because only those tell the tried algorithms apart.
// Empty where somebody has set COX_SYNC by hand.
std::vector<Setting> SampleSettings(double explore_ratio, const Environment& environment);

// The setting of a job that runs the library's default although it could be tuned: a canary. The
// agent labels its timings.
Setting CanaryJobSetting();

// The variable that names a file of choices. If somebody has set it by hand, ApplySettings() must
// not be used; the same holds for forced algorithms.
std::vector<Setting> ChoicesByFile(const std::string& library);

// What an earlier hook has set for all tasks alike, so that a task can keep it. Without what
// Combine() adds by itself.
std::vector<Setting> SetByEarlierHook(const Environment& environment);

// The name of the first of `settings` that somebody has set by hand, under its own name or another
// that the library reads (MPICH_X, MPIR_PARAM_X and MVP_X for MPIR_CVAR_X). Empty: none.
std::string SetByHand(const std::vector<Setting>& settings, const Environment& environment);

// `tuning`, and the agent's settings where `agent` is its path (`server_user` may be empty); what
// an earlier hook has set and is not set again is unset.
RunSettings Combine(const std::vector<Setting>& tuning, const std::string& agent,
                    const std::string& machine, const std::string& server,
                    const std::string& server_user, const Environment& environment);

// The first word of a launcher (before its program) that names a choice of algorithms for the MPI
// library that `settings` are for, as `--mca coll_tuned_bcast_algorithm 6` does; empty where none.
std::string NamedByLauncher(const std::vector<Setting>& settings,
                            const std::vector<std::string>& command, const LauncherWords& words);

// The command with what its launcher needs to hand `settings` to ranks on other nodes: Open MPI's
// forwards only its own variables by itself. With the agent also what it reads from `environment`,
// which is all that the command would have without `settings`: it has to do the same on all nodes.
// COX_JOB_CREDENTIAL is each node's own.
std::vector<std::string> WithForwarding(std::vector<std::string> command,
                                        const LauncherWords& words, const RunSettings& settings,
                                        const std::map<std::string, std::string>& environment);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_RUN_SETTINGS_H_
