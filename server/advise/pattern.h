// Predicts the time of an arbitrary pattern of messages, sent directly or routed through virtual
// topologies. Pure; any thread.
#ifndef COX_ADVISE_PATTERN_H_
#define COX_ADVISE_PATTERN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "model/transfer.h"
#include "strategy/scenario.h"

namespace cox::advise {

struct PatternQuestion {
  absl::Span<const model::Transfer> messages;
  strategy::Scenario scenario;      // its ranks, ppn and placement
  std::vector<std::string> routes;  // names of strategy::Route; empty: direct only; "all": all
  std::string model;                // "": the machine's; "all"
};

struct PatternAnswer {
  std::vector<Prediction> predictions;  // by route and model; `strategy` names the route
  double volume_bytes = 0;
  double pairs_count = 0;
  model::RankTraffic busiest;  // sent directly
};

// INVALID_ARGUMENT with the field ("routes[1]", "messages[7].source", "ranks", ...); otherwise
// fails as ModelsFor() does. O(messages log messages) per route and phase; O(messages + ranks)
// direct.
absl::StatusOr<PatternAnswer> EvaluatePattern(const MachineView& machine,
                                              const PatternQuestion& question);

}  // namespace cox::advise

#endif  // COX_ADVISE_PATTERN_H_
