// Many-to-many: any pattern of messages, sent directly or combined on its way through a virtual
// topology, and priced from where the messages really go. Pure functions, any thread.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, section 3: the routings are those of all-to-all (virtual_topology.h), and a
// rank sends to each of its neighbours there whether it has data for it or not, so that a receiver
// knows what to wait for. The paper has formulas for uniform patterns only.
#ifndef COX_STRATEGY_TRAFFIC_MANY_TO_MANY_H_
#define COX_STRATEGY_TRAFFIC_MANY_TO_MANY_H_

#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/schedule.h"
#include "model/transfer.h"
#include "strategy/scenario.h"

namespace cox::strategy {

enum class Route { kDirect, kMesh2d, kGrid3d, kHypercube };
inline constexpr int kRouteCount = 4;

// "direct", "mesh2d", "grid3d", "hypercube", and back (INVALID_ARGUMENT, field "routes", listing
// those there are).
absl::string_view RouteName(Route route);
absl::StatusOr<Route> ParseRoute(absl::string_view name);

// The size above which a message is better sent by itself: it saves `hops` - 1 times its bytes'
// time for one more start-up. alpha_s >= 0, beta_s_per_byte >= 0; +inf where there is nothing to
// save.
inline double CombiningLimitBytes(double alpha_s, double beta_s_per_byte, double hops) {
  const double saved_s_per_byte = (hops - 1) * beta_s_per_byte;
  return saved_s_per_byte > 0 ? alpha_s / saved_s_per_byte
                              : std::numeric_limits<double>::infinity();
}

struct ManyToManyOptions {
  // Messages of more bytes than this are not combined but sent directly, all in one phase before
  // the others. +inf: none.
  double direct_above_bytes = std::numeric_limits<double>::infinity();
};

// Writes the schedule of `messages` on the nodes of scenario.ranks, ppn and placement. By kDirect
// it is one phase, as BuildPattern() has it. By the others it is a phase of each of the topology's:
// every rank sends one message to each neighbour of the phase, all that goes that way together,
// which may be no bytes. From the second phase on, the busiest sender copies what it sends. One
// rank sends nothing. O(messages log messages) time a phase.
//
// INVALID_ARGUMENT as TrafficOf(); for direct_above_bytes that is negative or NaN.
absl::Status BuildManyToMany(Route route, absl::Span<const model::Transfer> messages,
                             const Scenario& scenario, const ManyToManyOptions& options,
                             model::Schedule* schedule);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_MANY_TO_MANY_H_
