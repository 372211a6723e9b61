// An exchange in consecutive parts, without a barrier between them.
#ifndef COX_STRATEGY_TRAFFIC_SHARED_PARTS_H_
#define COX_STRATEGY_TRAFFIC_SHARED_PARTS_H_

#include "model/traffic.h"

namespace cox::strategy {

// Turns a phase of the whole exchange into one of `parts` (>= 1) equal parts, its local work too.
inline void ShareAmong(double parts, model::Phase* phase) {
  if (parts == 1) return;
  phase->times = parts;
  phase->repetitions = model::Repetitions::kShared;
  const auto divide_rank = [parts](model::RankTraffic* rank) {
    rank->sends_count /= parts;
    rank->receives_count /= parts;
    rank->out_bytes /= parts;
    rank->in_bytes /= parts;
  };
  divide_rank(&phase->traffic.any);
  for (model::LevelTraffic* level : {&phase->traffic.node, &phase->traffic.network}) {
    divide_rank(level);
    level->pairs_count /= parts;
    level->messages_count /= parts;
    level->volume_bytes /= parts;
    level->node_out_bytes /= parts;
    level->node_in_bytes /= parts;
  }
  phase->work.copied_bytes /= parts;
  phase->work.touched_bytes /= parts;
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_SHARED_PARTS_H_
