// What the links between switches add to a strategy's price, for a job on given nodes. Pure; any
// thread.
#ifndef COX_ADVISE_PLACEMENT_LINK_TIME_H_
#define COX_ADVISE_PLACEMENT_LINK_TIME_H_

#include "advise/candidates.h"
#include "advise/placement/network.h"
#include "model/extent.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::advise {

// A strategy with more messages, or whose messages pass more links together, is taken to load all
// pairs of nodes evenly.
inline constexpr double kMaxListedMessages = 100'000;
inline constexpr double kMaxListedLinks = 400'000;

struct LinkTime {
  double congestion_s = 0;  // by which the busiest link is slower than the busiest rank
  double latency_s = 0;     // of the links on a message's way
  bool is_even = false;     // the messages were not listed
};

// For each step of the strategy: the time of the busiest link, less the model's own time for the
// step's bytes, if that is more than 0; and the longest sum of hop times on a message's way. A link
// carries its bytes in each direction at its width times the rate of a node's link, which is what
// the model says of two nodes alone. C3's submachines (S. E. Hambrusch, A. A.
// Khokhar, section 2.1) have a share of the links, too, and its C_l is the bytes over a cut by that
// cut's links; here each link is a cut. 0 for models that price links themselves (c3): these get
// ExtentOf(). `schedule` is that of the strategy. O(m (log m + d)) for m listed
// messages over up to d links.
LinkTime LinkTimeOf(const PricedBy& priced_by, const strategy::Strategy& strategy,
                    const strategy::Scenario& scenario, const model::Schedule& schedule,
                    const NodesInUse& nodes);

// Whether the model prices links by the network's extent.
bool PricesExtent(const model::Model& model);

// The network of these nodes, as such a model sees it.
model::Extent ExtentOf(const NodesInUse& nodes, int64_t ranks);

// Prices a strategy on these nodes: under a model that prices links, on their extent; under others,
// with the links' time in the terms "link congestion" and "latency".
Prediction PriceOnNodes(const PricedBy& priced_by, const strategy::Strategy& strategy,
                        const strategy::Scenario& scenario, const model::Schedule& schedule,
                        const NodesInUse& nodes);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_LINK_TIME_H_
