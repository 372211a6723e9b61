// A message that one rank after the other passes on while all other ranks wait. Pure, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_RELAY_H_
#define COX_STRATEGY_ALGORITHMS_RELAY_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

struct Relay {
  double bytes;          // of the message
  double reduced_bytes;  // combined by each rank before it passes the message on
  bool comes_home;       // whether the last rank passes it to rank 0
  int64_t rounds;        // how often the message goes round
};

// Starts at rank 0. Adds a phase of the messages within nodes, then one of those between nodes; the
// order does not change the price.
void AddRelay(const Relay& relay, const Scenario& scenario, model::Schedule* schedule);

// Its messages, in the phases that AddRelay() adds first.
void EnumerateRelay(const Relay& relay, const Scenario& scenario, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_RELAY_H_
