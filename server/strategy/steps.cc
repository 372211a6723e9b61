#include "strategy/steps.h"

#include <algorithm>

namespace cox::strategy {
namespace {

// To the busiest rank: which levels there are messages at, and how large they are.
bool Alike(const StepLoad& a, const StepLoad& b) {
  return (a.node_messages > 0) == (b.node_messages > 0) &&
         (a.network_messages > 0) == (b.network_messages > 0) &&
         a.node_max_bytes == b.node_max_bytes && a.network_max_bytes == b.network_max_bytes;
}

void SetRank(double messages, double bytes, model::RankTraffic* rank) {
  rank->sends_count = rank->receives_count = messages;
  rank->out_bytes = rank->in_bytes = rank->max_message_bytes = bytes;
}

}  // namespace

StepLoad LoadOf(const Crossing& crossing, double bytes) {
  return {crossing.node_messages,
          crossing.network_messages,
          crossing.node_messages > 0 ? bytes : 0,
          crossing.network_messages > 0 ? bytes : 0,
          crossing.node_messages * bytes,
          crossing.network_messages * bytes,
          crossing.busiest_node_out * bytes,
          crossing.busiest_node_in * bytes};
}

void Steps::Add(const StepLoad& load, const model::LocalWork& work, double times) {
  if (times <= 0) return;
  if (times_ > 0 && !Alike(sum_, load)) Finish();
  if (times_ == 0) {
    sum_.node_max_bytes = load.node_max_bytes;
    sum_.network_max_bytes = load.network_max_bytes;
  }
  times_ += times;
  sum_.node_messages += times * load.node_messages;
  sum_.network_messages += times * load.network_messages;
  sum_.node_volume_bytes += times * load.node_volume_bytes;
  sum_.network_volume_bytes += times * load.network_volume_bytes;
  sum_.node_out_bytes += times * load.node_out_bytes;
  sum_.node_in_bytes += times * load.node_in_bytes;
  work_sum_.copied_bytes += times * work.copied_bytes;
  work_sum_.reduced_bytes += times * work.reduced_bytes;
}

void Steps::Finish() {
  if (times_ == 0) return;
  const double share = 1 / times_;
  model::Phase& phase = schedule_->Add();
  phase.times = times_;
  model::Traffic& traffic = phase.traffic;
  SetRank(sum_.node_messages > 0 ? 1 : 0, sum_.node_max_bytes, &traffic.node);
  SetRank(sum_.network_messages > 0 ? 1 : 0, sum_.network_max_bytes, &traffic.network);
  SetRank(sum_.node_messages + sum_.network_messages > 0 ? 1 : 0,
          std::max(sum_.node_max_bytes, sum_.network_max_bytes), &traffic.any);
  traffic.node.pairs_count = traffic.node.messages_count = sum_.node_messages * share;
  traffic.network.pairs_count = traffic.network.messages_count = sum_.network_messages * share;
  traffic.node.volume_bytes = sum_.node_volume_bytes * share;
  traffic.network.volume_bytes = sum_.network_volume_bytes * share;
  traffic.network.node_out_bytes = sum_.node_out_bytes * share;
  traffic.network.node_in_bytes = sum_.node_in_bytes * share;
  phase.work = {work_sum_.copied_bytes * share, work_sum_.reduced_bytes * share};
  times_ = 0;
  sum_ = {};
  work_sum_ = {};
}

}  // namespace cox::strategy
