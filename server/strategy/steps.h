// Writes a schedule step by step, for algorithms in which a rank sends at most one message and
// receives at most one in a step. Consecutive steps that are alike to the busiest rank become one
// phase. Not thread-safe; lives on the stack of a build function. Allocates nothing.
#ifndef COX_STRATEGY_STEPS_H_
#define COX_STRATEGY_STEPS_H_

#include "model/schedule.h"

namespace cox::strategy {

// The messages of a step: how many stay in nodes, how many cross, and how many of those leave and
// enter the busiest node.
struct Crossing {
  double node_messages = 0;
  double network_messages = 0;
  double busiest_node_out = 0;
  double busiest_node_in = 0;
};

// The same with bytes, where messages differ in size.
struct StepLoad {
  double node_messages = 0;
  double network_messages = 0;
  double node_max_bytes = 0;  // largest message at that level
  double network_max_bytes = 0;
  double node_volume_bytes = 0;
  double network_volume_bytes = 0;
  double node_out_bytes = 0;  // of the busiest node
  double node_in_bytes = 0;
};

StepLoad LoadOf(const Crossing& crossing, double bytes);

class Steps {
 public:
  explicit Steps(model::Schedule* schedule) : schedule_(schedule) {}
  ~Steps() { Finish(); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  // Adds `times` steps with this load each (where it varies: their mean). Steps without messages
  // add their work only. work: of the busiest rank, per step.
  void Add(const StepLoad& load, const model::LocalWork& work = {}, double times = 1);
  void Add(const Crossing& crossing, double bytes, const model::LocalWork& work = {},
           double times = 1) {
    Add(LoadOf(crossing, bytes), work, times);
  }

 private:
  void Finish();

  model::Schedule* schedule_;
  double times_ = 0;
  StepLoad sum_;  // over the steps so far; the max fields are those of each step
  model::LocalWork work_sum_;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_STEPS_H_
