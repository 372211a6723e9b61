// Chains: the root feeds `fanout` chains of consecutive ranks, segment by segment; one chain is a
// pipeline. In the other direction the chains feed the root, and each rank combines. A phase each
// for the links of the root, the links in nodes and those between nodes, which the first segment
// takes one after the other; then a phase with a stage for each further segment.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_CHAIN_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_CHAIN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "model/schedule.h"
#include "strategy/algorithms/rooted/direction.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// Open MPI's limit of the number of chains.
inline constexpr int64_t kMaxFanout = 32;

// The number of chains: the knob, or 4 as in Open MPI. FAILED_PRECONDITION for more than
// kMaxFanout.
int64_t FanoutOf(const Knobs& knobs);
absl::Status ChainApplies(const Scenario& scenario, const Knobs& knobs);

// fanout: 1 .. kMaxFanout. segment_bytes of 0, or at least the message: one segment.
void BuildChain(Direction direction, const Scenario& scenario, int64_t fanout,
                int64_t segment_bytes, model::Schedule* schedule);
void EnumerateChain(Direction direction, const Scenario& scenario, int64_t fanout,
                    int64_t segment_bytes, MessageSink sink);

// The rows of bcast and, to the root, of reduce.
template <Direction kDirection>
void BuildChains(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  BuildChain(kDirection, scenario, FanoutOf(knobs), knobs.segment_bytes, schedule);
}
template <Direction kDirection>
void EnumerateChains(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  EnumerateChain(kDirection, scenario, FanoutOf(knobs), knobs.segment_bytes, sink);
}
template <Direction kDirection>
void BuildPipeline(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  BuildChain(kDirection, scenario, 1, knobs.segment_bytes, schedule);
}
template <Direction kDirection>
void EnumeratePipeline(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  EnumerateChain(kDirection, scenario, 1, knobs.segment_bytes, sink);
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_CHAIN_H_
