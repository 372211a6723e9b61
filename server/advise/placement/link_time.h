// What the links between switches add to a strategy's price, for a job on given nodes. Pure; any
// thread.
#ifndef COX_ADVISE_PLACEMENT_LINK_TIME_H_
#define COX_ADVISE_PLACEMENT_LINK_TIME_H_

#include "absl/functional/function_ref.h"
#include "advise/candidates.h"
#include "advise/placement/network.h"
#include "model/extent.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::advise {

// Steps of a phase that have the same messages are listed once. A strategy with more messages in
// steps that differ, or whose messages pass more links together, is taken to load all pairs of
// nodes evenly; so is one with more messages in all, since finding steps that differ reads each of
// them.
inline constexpr double kMaxListedMessages = 100'000;
inline constexpr double kMaxListedLinks = 400'000;
inline constexpr double kMaxReadMessages = 250'000;

// Calls the sink for each message of a schedule, phase by phase.
using MessageList = absl::FunctionRef<void(strategy::MessageSink)>;

struct LinkTime {
  double congestion_s = 0;  // by which the busiest link is slower than the busiest rank and node
  double latency_s = 0;     // of the links on a message's way
  // What messages between sockets cost more than in a socket, where the model has parameters of
  // level `socket`: start-ups, and bytes of the busiest rank. Negative if they cost less.
  double socket_startup_s = 0;
  double socket_bandwidth_s = 0;
  // The messages were not listed, and the strategy does not send the same bytes between all pairs
  // of nodes by itself, as a direct alltoall does.
  bool is_even = false;
};

// For each step of the schedule: the time of the busiest link, less the model's own time for the
// step's bytes and less the time of the busiest node's link, if that is more than 0; and the
// longest sum of hop times on a message's way. A link carries its bytes in each direction at its
// width times the rate of a node's link, which is what the model says of two ranks alone; max-rate,
// of all ranks of a node. Links as wide as those of the nodes below them therefore cost nothing.
// C3's submachines (S. E. Hambrusch, A. A. Khokhar, section 2.1) have a share of the links, too,
// and its C_l is the bytes over a cut by that cut's links; here each link is a cut. 0 for models
// that price links themselves (c3): these get ExtentOf(). `list` is called at most once, if the
// messages are few. O(m (log m + d)) for m listed messages over up to d links.
LinkTime LinkTimeOf(const PricedBy& priced_by, const strategy::Scenario& scenario,
                    const model::Schedule& schedule, const NodesInUse& nodes, MessageList list);

// Messages that LinkTimeOf() lists at most; 0 if it reads none.
double ListedMessages(const strategy::Scenario& scenario, const model::Schedule& schedule);

// Whether the model prices links by the network's extent.
bool PricesExtent(const model::Model& model);

// The network of these nodes, as such a model sees it.
model::Extent ExtentOf(const NodesInUse& nodes, int64_t ranks);

// Writes the schedule as the model sees it on these nodes: one that prices links sees their
// network, any other one a crossbar, so that it does not warn of links that are priced here. A
// phase on a part of the machine has the part's links and distance, times those of the nodes over
// those of the machine's shape.
void CopyOnNodes(const PricedBy& priced_by, const strategy::Scenario& scenario,
                 const NodesInUse& nodes, const model::Schedule& schedule, model::Schedule* here);

// Adds the links' time to the terms "link congestion" and "latency", that of sockets to "startup"
// and "bandwidth". Congestion of even links makes a caveat.
void AddLinkTime(const LinkTime& links, Prediction* prediction);

// Prices a strategy on these nodes: CopyOnNodes(), Price(), AddLinkTime(). `schedule` is that of
// the strategy.
Prediction PriceOnNodes(const PricedBy& priced_by, const strategy::Strategy& strategy,
                        const strategy::Scenario& scenario, const model::Schedule& schedule,
                        const NodesInUse& nodes);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_LINK_TIME_H_
