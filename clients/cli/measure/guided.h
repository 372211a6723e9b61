// Measures a machine in rounds: coxd names the measurements that are worth most, cox-bench takes
// them, coxd learns them and is asked again. Ends when another minute is not worth it, or when the
// time is spent. Shows its progress, and a line for each round. Not thread-safe.
#ifndef COX_CLI_MEASURE_GUIDED_H_
#define COX_CLI_MEASURE_GUIDED_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/measure/measurement.h"
#include "cli/session.h"

namespace cox::cli {

// Another minute that is expected to save less of the collectives' time is not spent.
inline constexpr double kLeastWorth = 0.01;

struct GuidedOptions {
  MeasureOptions measure;  // rank_counts: the candidates; the first job has the largest
  double budget_s = 0;     // for all of it
  // Nodes that jobs are placed on. Jobs that need fewer nodes run at once on disjoint parts. Empty:
  // the launcher chooses the nodes, and jobs run one at a time.
  std::vector<std::string> hosts;
};

// Hands a part of the measurements to coxd, and returns when coxd has learned them. Only the first
// part has samples.
using StorePart = std::function<absl::Status(const Measured& part)>;

// After a failure: keeps what was measured and not handed to coxd. Returns `why`, and where the
// measurements are. Does nothing if there are none.
using KeepMeasured = std::function<absl::Status(const absl::Status& why, const Measured& measured)>;

// Measures messages, the library's default on the most ranks, and then in rounds what
// SuggestMeasurements names. Fails as MeasureMachine() does, or as `store` or coxd fails; what
// `store` did not get goes to `keep`.
absl::Status MeasureByWorth(Session& session, const GuidedOptions& options, const StorePart& store,
                            const KeepMeasured& keep);

}  // namespace cox::cli

#endif  // COX_CLI_MEASURE_GUIDED_H_
