// Algorithms in which each node has a leader, its first rank: the ranks of a node work with their
// leader, and the leaders with each other. Within a node and among leaders the trees are binomial,
// the exchanges recursive doubling. The library runs its own choice there; these are what it
// chooses for short messages. Pure; any thread.
//
// Source: MPICH v4.0.2, src/mpi/coll: {bcast,reduce,allreduce,barrier,scan}_intra_smp.
#ifndef COX_STRATEGY_ALGORITHMS_NODE_LEADERS_H_
#define COX_STRATEGY_ALGORITHMS_NODE_LEADERS_H_

#include "absl/status/status.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// From the root to the leader of its node, to all leaders, to all ranks.
void BuildLeadersBcast(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersBcast(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// The same way back, combined on the way.
void BuildLeadersReduce(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersReduce(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Reduced to the leaders, exchanged among them, and back.
void BuildLeadersAllreduce(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersAllreduce(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Dissemination in each node, then among the leaders, then a byte down from each leader.
void BuildLeadersBarrier(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersBarrier(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// A scan in each node, whose last rank tells the leader; a scan among the leaders, each of which
// tells the next one; then down to the ranks of all nodes but the first.
absl::Status LeadersScanApplies(const Scenario& scenario, const Knobs& knobs);
void BuildLeadersScan(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersScan(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_NODE_LEADERS_H_
