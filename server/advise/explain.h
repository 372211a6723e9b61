// Explains why a strategy is the best: every strategy's price at one size, and the sizes at which
// the best one changes. Pure; any thread.
#ifndef COX_ADVISE_EXPLAIN_H_
#define COX_ADVISE_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/best_ranges.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "advise/placement/network.h"
#include "domain/profile.h"
#include "domain/sharing/caller_watch.h"
#include "strategy/scenario.h"

namespace cox::advise {

struct Explanation {
  const model::Model* model = nullptr;
  std::vector<Prediction> predictions;      // at the scenario's size, the least Amount() first
  std::vector<std::string> strategies;      // by BestRange::curve
  BestRanges ranges;                        // over min_block_bytes .. max_block_bytes
  std::vector<std::string> not_applicable;  // "strategy: why"
  domain::Profile parameters;               // those of the profile that the model reads
};

struct ExplainQuestion {
  strategy::Scenario scenario;  // the machine's shape replaces its own
  std::string strategy;         // only this one; "": all that apply
  std::string model;            // one; "": the machine's
  int64_t min_block_bytes = 1;
  int64_t max_block_bytes = int64_t{16} << 20;
  RangeLimits limits;
  // Those of the job, scenario.node_count() of them, whose links are priced; null: not known.
  const NodesInUse* nodes = nullptr;
};
inline constexpr int64_t kMaxExplainedBytes = int64_t{1} << 40;

// Messages whose ways are followed to find the ranges on given nodes: about three seconds.
inline constexpr double kMaxFollowedMessages = 10'000'000;

// Fails as Predict() does, with CANCELLED, and with INVALID_ARGUMENT (field "min_block_bytes" or
// "max_block_bytes") unless 0 <= min <= max <= kMaxExplainedBytes. The ranges are as exact as
// FollowBest() says. Its knees are the sizes at which a piecewise parameter changes its value for
// the largest message or the busiest rank's bytes, and those at which a phase is priced by another
// formula (model::Model::Excess()). On given nodes, the ranges are those of
// RangeLimits::looks_between = false, and end early after kMaxFollowedMessages.
absl::StatusOr<Explanation> Explain(const MachineView& machine, const ExplainQuestion& question,
                                    const domain::IsCancelled& is_cancelled = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_EXPLAIN_H_
