// A message passed on from rank to rank: one after the other, nobody else does anything. Pure, any
// thread.
#ifndef COX_STRATEGY_ALGORITHMS_RELAY_H_
#define COX_STRATEGY_ALGORITHMS_RELAY_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

struct Relay {
  double bytes;          // of the message
  double reduced_bytes;  // that each rank combines before it passes the message on
  bool comes_home;       // the last rank passes it to rank 0
  int64_t rounds;        // times that all that happens
};

// From rank 0 on. A phase of the messages within nodes, then one of those between nodes: in which
// order they come makes no difference to what they cost.
void AddRelay(const Relay& relay, const Scenario& scenario, model::Schedule* schedule);

// Its messages, as those of the schedule's first phases.
void EnumerateRelay(const Relay& relay, const Scenario& scenario, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_RELAY_H_
