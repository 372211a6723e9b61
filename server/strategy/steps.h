// Writes a schedule step by step, for algorithms in which a rank sends and receives at most one
// message per step. Consecutive steps that the busiest rank cannot tell apart become one phase. Not
// thread-safe; lives on the stack of a build function. Allocates nothing.
#ifndef COX_STRATEGY_STEPS_H_
#define COX_STRATEGY_STEPS_H_

#include <algorithm>

#include "model/schedule.h"

namespace cox::strategy {

// The messages of a step: how many stay in nodes, how many cross, and how many of the crossing ones
// leave and enter the busiest node.
struct Crossing {
  double node_messages = 0;
  double network_messages = 0;
  double busiest_node_out = 0;
  double busiest_node_in = 0;
  bool disjoint = false;  // no rank both sends and receives
};

// The same with bytes, for messages of different sizes.
struct StepLoad {
  double node_messages = 0;
  double network_messages = 0;
  double node_max_bytes = 0;  // largest message at that level
  double network_max_bytes = 0;
  double node_volume_bytes = 0;
  double network_volume_bytes = 0;
  double node_out_bytes = 0;  // of the busiest node
  double node_in_bytes = 0;
  bool disjoint = false;
};

// The load of a step whose messages all have `bytes` bytes.
inline StepLoad LoadOf(const Crossing& crossing, double bytes) {
  return {crossing.node_messages,
          crossing.network_messages,
          crossing.node_messages > 0 ? bytes : 0,
          crossing.network_messages > 0 ? bytes : 0,
          crossing.node_messages * bytes,
          crossing.network_messages * bytes,
          crossing.busiest_node_out * bytes,
          crossing.busiest_node_in * bytes,
          crossing.disjoint};
}

class Steps {
 public:
  explicit Steps(model::Schedule* schedule) : schedule_(schedule) {}
  ~Steps() { Finish(); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  // Adds `times` steps with this load each (their mean, if it varies). The busiest rank does `work`
  // in each. Adds nothing for times <= 0.
  void Add(const StepLoad& load, const model::LocalWork& work = {}, double times = 1) {
    if (times <= 0) return;
    if (last_ != nullptr && IsLike(*last_, load)) {
      Widen(load, work, times, last_);
    } else {
      Finish();
      Start(load, work, times);
    }
  }
  // Ends the phase of the last steps, even if the next ones are alike. Those steps worked on
  // submachines like this one (none stated: on the whole machine).
  void EndPhase(const model::Extent& submachine = {}) {
    Finish();
    if (last_ != nullptr) last_->submachine = submachine;
    last_ = nullptr;
  }
  void Add(const Crossing& crossing, double bytes, const model::LocalWork& work = {},
           double times = 1) {
    Add(LoadOf(crossing, bytes), work, times);
  }

 private:
  // Whether the busiest rank sees the same in both: the levels with messages, their sizes, and
  // whether it sends and receives.
  static bool IsLike(const model::Phase& phase, const StepLoad& load) {
    const model::LevelTraffic& node = phase.traffic.node;
    const model::LevelTraffic& network = phase.traffic.network;
    return load.node_max_bytes == node.max_message_bytes &&
           load.network_max_bytes == network.max_message_bytes &&
           (load.node_messages > 0) == (node.sends_count > 0) &&
           (load.network_messages > 0) == (network.sends_count > 0) &&
           load.disjoint == phase.traffic.disjoint;
  }

  static model::RankTraffic Rank(double messages, double bytes) {
    const double count = messages > 0 ? 1 : 0;
    return {count, count, bytes, bytes, bytes};
  }

  void Start(const StepLoad& load, const model::LocalWork& work, double times) {
    model::Phase& phase = schedule_->AddUnset();
    phase.times = times;
    phase.traffic.node = {Rank(load.node_messages, load.node_max_bytes),
                          load.node_messages,
                          load.node_messages,
                          load.node_volume_bytes,
                          0,
                          0};
    phase.traffic.network = {Rank(load.network_messages, load.network_max_bytes),
                             load.network_messages,
                             load.network_messages,
                             load.network_volume_bytes,
                             load.node_out_bytes,
                             load.node_in_bytes};
    phase.traffic.any = Rank(load.node_messages + load.network_messages,
                             std::max(load.node_max_bytes, load.network_max_bytes));
    phase.traffic.disjoint = load.disjoint;
    phase.work = work;
    phase.submachine = {};
    phase.repetitions = model::Repetitions::kAlike;
    phase.ends_in_barrier = phase.blocking_sends = false;
    last_ = &phase;
    is_sum_ = false;
  }

  // Merges more steps into the last phase. Its means are sums until Finish().
  void Widen(const StepLoad& load, const model::LocalWork& work, double times,
             model::Phase* phase) {
    if (!is_sum_ && phase->times != 1) Scale(phase->times, phase);
    is_sum_ = true;
    phase->times += times;
    model::LevelTraffic& node = phase->traffic.node;
    model::LevelTraffic& network = phase->traffic.network;
    node.messages_count += times * load.node_messages;
    network.messages_count += times * load.network_messages;
    node.volume_bytes += times * load.node_volume_bytes;
    network.volume_bytes += times * load.network_volume_bytes;
    network.node_out_bytes += times * load.node_out_bytes;
    network.node_in_bytes += times * load.node_in_bytes;
    phase->work.copied_bytes += times * work.copied_bytes;
    phase->work.reduced_bytes += times * work.reduced_bytes;
    phase->work.touched_bytes += times * work.touched_bytes;
  }

  // Scales those means or sums.
  static void Scale(double by, model::Phase* phase) {
    model::LevelTraffic& node = phase->traffic.node;
    model::LevelTraffic& network = phase->traffic.network;
    for (double* mean :
         {&node.messages_count, &network.messages_count, &node.volume_bytes, &network.volume_bytes,
          &network.node_out_bytes, &network.node_in_bytes, &phase->work.copied_bytes,
          &phase->work.reduced_bytes, &phase->work.touched_bytes}) {
      *mean *= by;
    }
  }

  void Finish() {
    if (!is_sum_ || last_ == nullptr) return;
    Scale(1 / last_->times, last_);
    last_->traffic.node.pairs_count = last_->traffic.node.messages_count;
    last_->traffic.network.pairs_count = last_->traffic.network.messages_count;
    is_sum_ = false;
  }

  model::Schedule* schedule_;
  model::Phase* last_ = nullptr;  // of the schedule, once there is one
  bool is_sum_ = false;           // whether its means are still sums
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_STEPS_H_
