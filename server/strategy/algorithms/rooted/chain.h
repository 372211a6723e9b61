// Chains: the root feeds `fanout` chains of consecutive ranks, segment by segment; with one chain,
// a pipeline. Or they feed the root, each rank combining what it gets with its own. One phase,
// whose repetitions are the stages of the pipeline.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_CHAIN_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_CHAIN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "model/schedule.h"
#include "strategy/algorithms/rooted/direction.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// More chains than this an MPI library does not build (Open MPI's limit), and neither do we.
inline constexpr int64_t kMaxFanout = 32;

// Four chains unless said otherwise, as Open MPI. FAILED_PRECONDITION for more than kMaxFanout.
int64_t FanoutOf(const Knobs& knobs);
absl::Status ChainApplies(const Scenario& scenario, const Knobs& knobs);

// fanout: 1..kMaxFanout. segment_bytes: 0 or more than the message: the message in one.
void BuildChain(Direction direction, const Scenario& scenario, int64_t fanout,
                int64_t segment_bytes, model::Schedule* schedule);
void EnumerateChain(Direction direction, const Scenario& scenario, int64_t fanout,
                    int64_t segment_bytes, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_CHAIN_H_
