// Gives the messages of an algorithm their phase and repetition, as steps.h does for the closed
// form: consecutive steps that are alike to the busiest rank are one phase. For tests and small
// machines.
#ifndef COX_STRATEGY_ENUMERATION_H_
#define COX_STRATEGY_ENUMERATION_H_

#include <cstdint>
#include <vector>

#include "strategy/catalogue.h"
#include "strategy/traffic/nodes.h"

namespace cox::strategy {

class Enumeration {
 public:
  Enumeration(const Scenario& scenario, MessageSink sink) : nodes_(scenario), sink_(sink) {}

  // A message of the step at hand.
  void Send(int64_t source, int64_t destination, double bytes) {
    step_.push_back({0, 0, source, destination, bytes});
  }
  // Both ways.
  void Exchange(int64_t a, int64_t b, double bytes) {
    Send(a, b, bytes);
    Send(b, a, bytes);
  }
  // Ends the step; `times` of them are alike. A step without messages is none.
  void EndStep(int64_t times = 1);
  // Ends a step that is a phase of its own, whatever comes before and after it.
  void EndPhase();
  // A message of a phase that is not made of steps; for algorithms without any other phase.
  void SendIn(int64_t repetition, int64_t source, int64_t destination, double bytes) {
    sink_({0, repetition, source, destination, bytes});
  }

 private:
  struct Likeness {
    bool has_node = false, has_network = false, disjoint = true;
    double node_max_bytes = 0, network_max_bytes = 0;
    friend bool operator==(const Likeness&, const Likeness&) = default;
  };
  Likeness LikenessOfStep() const;
  void Emit();

  Nodes nodes_;
  MessageSink sink_;
  std::vector<Message> step_;
  Likeness last_;
  bool can_continue_ = false;  // whether a like step belongs to the same phase
  int64_t phase_ = -1;
  int64_t repetition_ = 0;  // the next one
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ENUMERATION_H_
