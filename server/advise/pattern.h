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
#include "advise/placement/network.h"
#include "domain/sharing/caller_watch.h"
#include "model/transfer.h"
#include "strategy/scenario.h"

namespace cox::advise {

inline constexpr int64_t kListedMessages = 100'000;

struct PatternQuestion {
  absl::Span<const model::Transfer> messages;
  strategy::Scenario scenario;  // its ranks, ppn and placement
  // Names of strategy::Route, perhaps with a knob: "mesh2d?direct_above=4096" sends messages of
  // more than 4096 bytes directly, "mesh2d?columns=8" goes through a mesh of 8 columns, and both
  // knobs may be joined with "&". Empty: direct only. "all": all routes, and the mesh whose rows or
  // columns are the nodes. Where the machine has an alpha and a beta and only some messages are
  // long, "all" also has routes with direct_above.
  std::vector<std::string> routes;
  std::string model;  // "": the machine's; "all"
  // Those of the job, scenario.node_count() of them, whose links are priced; null: not known.
  const NodesInUse* nodes = nullptr;
};

struct PatternAnswer {
  std::vector<Prediction> predictions;  // by route and model; `strategy` names the route
  double volume_bytes = 0;
  double pairs_count = 0;
  model::RankTraffic busiest;  // sent directly
};

// Prices the one phase of a pattern that is sent directly: from the list of its messages where the
// model has PriceListed() and they are at most kListedMessages. `is_listed`, if given, gets
// whether.
model::Cost PriceDirect(const PricedBy& priced_by, const model::Schedule& schedule,
                        absl::Span<const model::Transfer> messages, bool* is_listed = nullptr);

// INVALID_ARGUMENT with the field ("routes[1]", "messages[7].source", "ranks", ...); otherwise
// fails as ModelsFor() does. A model with PriceListed() prices up to kListedMessages direct
// messages from their list. O(messages log messages) per route and phase; direct O(messages +
// ranks), from a list O(messages log messages).
// CANCELLED: `is_cancelled` is asked before each phase and each price.
absl::StatusOr<PatternAnswer> EvaluatePattern(const MachineView& machine,
                                              const PatternQuestion& question,
                                              const domain::IsCancelled& is_cancelled = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_PATTERN_H_
