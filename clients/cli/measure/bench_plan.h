// Plans the runs of cox-bench that measure every algorithm of a library, and the variables that
// force each algorithm. Pure, any thread.
#ifndef COX_CLI_MEASURE_BENCH_PLAN_H_
#define COX_CLI_MEASURE_BENCH_PLAN_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::v1 {
class ListStrategiesResponse;
class Strategy;
}  // namespace cox::v1

namespace cox::cli {

// One run: at most one forced algorithm of each collective.
struct ForcedRun {
  std::string library;                             // empty: the MPI library that the job has
  std::map<std::string, std::string> algorithms;   // collective -> the library's name
  std::map<std::string, std::string> environment;  // forces them
};

// Run k forces the k-th algorithm of each of `collectives`; there are as many runs as the
// collective with the most algorithms needs. Algorithms that would not run as themselves with so
// many ranks (or end the job) are left out. `library` is the job's MPI library, or
// library::kCoxcoll, which cox-bench itself steers. UNIMPLEMENTED for a library that cannot be
// forced.
absl::StatusOr<std::vector<ForcedRun>> PlanForcedRuns(absl::string_view library,
                                                      const v1::ListStrategiesResponse& strategies,
                                                      const std::set<std::string>& collectives,
                                                      int64_t ranks);

// The algorithms of `collectives` that a job of `ranks` ranks runs under their own names when told.
// They point into `strategies`. UNIMPLEMENTED as above.
absl::StatusOr<std::vector<const v1::Strategy*>> ForceableAlgorithms(
    absl::string_view library, const v1::ListStrategiesResponse& strategies,
    const std::set<std::string>& collectives, int64_t ranks);

// Lets `run` also force this algorithm, one of ForceableAlgorithms(). The run forces no other
// algorithm of its collective.
void Force(absl::string_view library, const v1::Strategy& strategy, ForcedRun& run);

// Whether an algorithm's needs that concern the number of ranks are met. Ignores needs that concern
// the size.
bool RunsAsItself(const v1::Strategy& strategy, int64_t ranks);

// Seconds to start and end a job beside its budget, about.
inline constexpr double kJobStart_s = 1.5;
// The expected number of runs with forced algorithms, until it is known.
inline constexpr size_t kUsualForcedRuns = 9;

// How thoroughly a launch measures.
struct BenchEffort {
  std::string pair_sizes;        // empty: cox-bench's own
  std::string pattern_sizes;     // of the kinds beside ping-pongs; empty: cox-bench's own
  std::string collective_sizes;  // empty: cox-bench's own
  double pair_budget_s = 0;
  double collective_budget_s = 0;             // of one run
  std::vector<std::string> collectives = {};  // empty: cox-bench's own
  std::string pair_kinds = "all";             // as cox-bench's --kinds takes them
};

// `rank_counts` is how often the collectives are measured: with quick they share the time, so that
// all of it stays below a minute on two cores.
BenchEffort EffortOf(bool quick, size_t rank_counts);

// Shares about `budget_s` seconds among the jobs of a calibration: a quarter for messages, the rest
// for collectives. Each job still starts, and takes a few samples of everything, so the whole may
// take longer. Below a minute messages are ping-pongs only.
void LimitTime(double budget_s, size_t rank_counts, BenchEffort& effort);

// Also measures the MPI library's versions of the collectives that libcoxcoll has, to compare both.
void AddCoxcollCollectives(BenchEffort& effort);

// cox-bench's arguments.
std::vector<std::string> PairArguments(const BenchEffort& effort, const std::string& machine);
// The collectives that `forced` has algorithms of; without any all of the effort's, labelled
// "default".
std::vector<std::string> CollectiveArguments(const BenchEffort& effort, const std::string& machine,
                                             const std::string& run, const ForcedRun& forced);

struct BenchCell {
  std::string collective;
  int64_t block_bytes = 0;
};
// Only these cells, in about `budget_s` seconds.
std::vector<std::string> CellArguments(const std::vector<BenchCell>& cells, double budget_s,
                                       const std::string& machine, const std::string& run,
                                       const ForcedRun& forced);

// A line of cox-bench's --progress.
struct BenchProgress {
  double done_share = 0;
  double left_s = 0;
  std::string what;
};
// False for any other line.
bool ParseBenchProgress(absl::string_view line, BenchProgress& progress);

}  // namespace cox::cli

#endif  // COX_CLI_MEASURE_BENCH_PLAN_H_
