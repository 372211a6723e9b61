#include "topology/window_rule.h"

#include <cmath>

namespace cox::topology {
namespace {

// The largest x in least .. most whose last wave is full or has at least `least` senders; `most` if
// there is none. When x falls by one, the remainder grows by the quotient, so the loop skips values
// of x.
int64_t LargestWindow(int64_t senders, int64_t least, int64_t most) {
  int64_t x = most;
  while (x >= least && x >= 1) {
    const int64_t rest = senders % x;
    if (rest == 0 || rest >= least) return x;
    const int64_t waves = senders / x;
    x -= (least - rest + waves - 1) / waves;
  }
  return most;
}

}  // namespace

double LeastSenders(const GatherStage& stage) {
  return std::ceil(stage.send_gap_s / stage.receive_gap_s);
}

double MostSenders(const GatherStage& stage, int64_t packets_per_sender) {
  return std::floor(stage.send_gap_s / stage.receive_gap_s +
                    stage.buffer_packets / static_cast<double>(packets_per_sender));
}

GatherWindow WindowFor(const GatherStage& stage, int64_t senders, int64_t packets_per_sender) {
  GatherWindow window;
  if (senders == 0 || packets_per_sender == 0) return window;
  window.least_senders = LeastSenders(stage);
  window.most_senders = MostSenders(stage, packets_per_sender);
  if (window.most_senders >= static_cast<double>(senders)) {
    window.window = senders;
    window.reason = WindowReason::kAllAtOnce;
    return window;
  }
  if (window.most_senders < 1) {
    window.window = 1;
    window.reason = WindowReason::kMayLose;
    return window;
  }
  const auto most = static_cast<int64_t>(window.most_senders);  // less than the senders
  window.window = most;
  window.reason = WindowReason::kNoLoss;
  if (window.least_senders > window.most_senders) return window;
  const auto least = static_cast<int64_t>(window.least_senders);
  window.window = LargestWindow(senders, least, most);
  const int64_t rest = senders % window.window;
  if (rest == 0 || rest >= least) window.reason = WindowReason::kFullWaves;
  return window;
}

}  // namespace cox::topology
