// Plans the jobs of one round of a calibration: which suggested measurements share a job, and which
// jobs run at once. Pure, any thread.
//
// A job runs at most one algorithm of each collective, because variables of its environment force
// them. Its start takes longer than most cells. So a job that was opened for one suggestion takes
// later suggestions, too, until its cells take as long as its start. The start is paid, so the
// suggestions with the most gain per second of their cells come first. Jobs on disjoint nodes run
// at once, as in ACCLAiM (M. Wilkins et al., "ACCLAiM: Advancing the Practicality of MPI Collective
// Communication Autotuning Using Machine Learning", CLUSTER 2022, section V).
#ifndef COX_CLI_MEASURE_ROUND_PLAN_H_
#define COX_CLI_MEASURE_ROUND_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/measure/bench_plan.h"

namespace cox::v1 {
class SuggestedMeasurement;
}  // namespace cox::v1

namespace cox::cli {

// What jobs and cells cost, in seconds.
struct JobCosts {
  double start_s = kJobStart_s;
  double cell_s = 0.25;  // the least time of a cell
  double calls = 6;      // of a cell: two warm-ups, and a few samples
  double slowness = 1;   // the measured time of earlier jobs over their expected time
};

struct PlannedJob {
  int64_t ranks = 0;
  int64_t nodes = 1;
  int64_t ppn = 1;
  std::map<std::string, std::string> algorithms = {};  // collective -> algorithm, or "default"
  std::vector<BenchCell> cells = {};
  double cells_s = 0;  // expected, without slowness
};

struct RoundPlan {
  // Jobs of a wave run at once, on disjoint nodes; the waves one after the other.
  std::vector<std::vector<PlannedJob>> waves;
  double time_s = 0;  // expected
  double gain = 0;    // the sum over the cells, a share of the collectives' time
  size_t cell_count = 0;
  size_t job_count = 0;
};

using Suggestions = absl::Span<const v1::SuggestedMeasurement* const>;

// Plans jobs until `limit_s` is full. Each job begins with the first suggestion that has no job
// yet, and takes along later ones that it can measure, too. The plan has one job even if that takes
// longer; no job if there are no suggestions. `host_count`:
// nodes that jobs may share; 0: jobs run one at a time.
RoundPlan PlanRound(Suggestions suggestions, const JobCosts& costs, int64_t host_count,
                    double limit_s);

// What another minute of measuring is expected to gain, as a share of the collectives' time.
double WorthOfMinute(Suggestions suggestions, const JobCosts& costs, int64_t host_count);

// Numbers of ranks to measure with, the largest first: `most`, three quarters of it, half of it,
// three eighths and so on, at least 2. So some are no powers of two: libraries choose other
// algorithms there, and algorithms behave differently. At most 7. `most` is at least 2.
std::vector<int64_t> UsualRanks(int64_t most);

}  // namespace cox::cli

#endif  // COX_CLI_MEASURE_ROUND_PLAN_H_
