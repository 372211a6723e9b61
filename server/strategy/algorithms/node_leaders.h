// Algorithms in which the first rank of each node is its leader: the ranks of a node communicate
// with their leader, and the leaders with each other. Trees are binomial, exchanges are recursive
// doubling: the library's choices for short messages. Pure; any thread.
//
// With Knobs::unit_ranks, a unit of this many consecutive ranks has the leader instead of a node:
// a socket, or the nodes of a switch. Messages to a leader may then cross nodes, and those among
// leaders may stay in one.
//
// Source: MPICH v4.0.2, src/mpi/coll: {bcast,reduce,allreduce,barrier,scan}_intra_smp.
#ifndef COX_STRATEGY_ALGORITHMS_NODE_LEADERS_H_
#define COX_STRATEGY_ALGORITHMS_NODE_LEADERS_H_

#include "absl/status/status.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// Of all but the scan: units divide a node, or are whole nodes, with block placement.
absl::Status LeadersApply(const Scenario& scenario, const Knobs& knobs);

// From the root to the leader of its node, to all leaders, to all ranks.
void BuildLeadersBcast(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersBcast(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// The same way back: each rank combines what it receives.
void BuildLeadersReduce(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersReduce(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Reduced to the leaders, exchanged among them, and broadcast in each node.
void BuildLeadersAllreduce(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersAllreduce(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Dissemination in each node, then among the leaders, then one byte from each leader to its ranks.
void BuildLeadersBarrier(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersBarrier(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// A scan in each node, whose last rank sends the result to the leader. Then a scan among the
// leaders, each of which sends to the next leader. Then a broadcast in each node but the first.
absl::Status LeadersScanApplies(const Scenario& scenario, const Knobs& knobs);
void BuildLeadersScan(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateLeadersScan(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_NODE_LEADERS_H_
