// Many-to-many: any pattern of messages, sent directly or combined on its way through a virtual
// topology, and priced by the actual routes. Pure functions, any thread.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, section 3. The routes are those of all-to-all (virtual_topology.h). A rank
// sends to each neighbour even without data, so that receivers know how many messages to expect.
// The paper has formulas only for uniform patterns.
#ifndef COX_STRATEGY_TRAFFIC_MANY_TO_MANY_H_
#define COX_STRATEGY_TRAFFIC_MANY_TO_MANY_H_

#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/sharing/caller_watch.h"
#include "model/schedule.h"
#include "model/transfer.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::strategy {

enum class Route { kDirect, kMesh2d, kGrid3d, kHypercube };
inline constexpr int kRouteCount = 4;

// "direct", "mesh2d", "grid3d", "hypercube", and back (INVALID_ARGUMENT, field "routes", listing
// the known ones).
absl::string_view RouteName(Route route);
absl::StatusOr<Route> ParseRoute(absl::string_view name);

// The message size in bytes above which sending directly is faster: one more start-up saves `hops`
// - 1 times the time of its bytes. alpha_s >= 0, beta_s_per_byte >= 0; +inf if sending directly
// saves nothing.
inline double CombiningLimitBytes(double alpha_s, double beta_s_per_byte, double hops) {
  const double saved_s_per_byte = (hops - 1) * beta_s_per_byte;
  return saved_s_per_byte > 0 ? alpha_s / saved_s_per_byte
                              : std::numeric_limits<double>::infinity();
}

struct ManyToManyOptions {
  // Larger messages are sent directly, in one phase before the others. +inf: all are combined.
  double direct_above_bytes = std::numeric_limits<double>::infinity();
  // Of kMesh2d: 0 for a nearly square mesh, or at least 2. A mesh of as many columns as a node has
  // ranks, or, with cyclic placement, as there are nodes, keeps one of its two phases inside of the
  // nodes.
  int64_t columns = 0;
};

// Writes the schedule of `messages` on the nodes of scenario.ranks, ppn and placement. kDirect: one
// phase, as BuildPattern() writes it. Other routes: a phase for each of the topology's. In each,
// every rank sends each neighbour one message, possibly empty, with all blocks for that direction.
// From the second phase on, the busiest sender also copies what it sends. O(messages log messages)
// time per phase.
//
// INVALID_ARGUMENT as TrafficOf(); for direct_above_bytes that is negative or NaN; for columns that
// are 1 or negative. CANCELLED: `is_cancelled` is asked before each phase.
absl::Status BuildManyToMany(Route route, absl::Span<const model::Transfer> messages,
                             const Scenario& scenario, const ManyToManyOptions& options,
                             model::Schedule* schedule,
                             const domain::IsCancelled& is_cancelled = {});

// Lists the messages of that schedule, phase by phase, with those that carry nothing. For arguments
// with which BuildManyToMany() has succeeded. O(messages log messages) time and memory per phase.
void EnumerateManyToMany(Route route, absl::Span<const model::Transfer> messages,
                         const Scenario& scenario, const ManyToManyOptions& options,
                         MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_MANY_TO_MANY_H_
