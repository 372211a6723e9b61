// Assigns the messages of an algorithm to phases and repetitions by the rule of steps.h:
// consecutive steps that the busiest rank cannot tell apart are one phase. For tests and small
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

  // Adds a message to the current step.
  void Send(int64_t source, int64_t destination, double bytes) {
    step_.push_back({0, 0, source, destination, bytes});
  }
  // Adds a message in both directions.
  void Exchange(int64_t a, int64_t b, double bytes) {
    Send(a, b, bytes);
    Send(b, a, bytes);
  }
  // Ends the step; `times` equal ones follow each other. Does nothing for a step without messages.
  void EndStep(int64_t times = 1);
  // Ends a step that is always a phase of its own.
  void EndPhase();
  // Adds a message to a phase without steps, for algorithms that have only this phase.
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
  bool can_continue_ = false;  // whether an equal step joins the same phase
  int64_t phase_ = -1;
  int64_t repetition_ = 0;  // of the next step
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ENUMERATION_H_
