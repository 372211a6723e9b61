// Phases as models see them in which each rank writes at most one word in a step (MP-BSP,
// MP-E-BSP). Not a model.
#ifndef COX_MODEL_MODELS_WORD_STEPS_H_
#define COX_MODEL_MODELS_WORD_STEPS_H_

#include <algorithm>
#include <string>

#include "model/models/one_level.h"

namespace cox::model {

struct WordSteps {
  WordSteps(const OneLevel& traffic, double word_bytes)
      : steps(PacketsOfMessages(traffic.sends_count, traffic.out_bytes, word_bytes)),
        received(std::max(steps,
                          PacketsOfMessages(traffic.receives_count, traffic.in_bytes, word_bytes))),
        words(PacketsOfMessages(traffic.messages_count, traffic.volume_bytes, word_bytes)) {}

  double steps;     // words that the busiest rank sends: one in each step
  double received;  // sum over the steps of the most words that one rank receives, at least
  double words;     // all
};

// What such a model says of a schedule with longer messages; "" of any other.
inline std::string OneWordPerStepCaveat(const Schedule& schedule, double word_bytes) {
  if (!HasMessageAbove(schedule, word_bytes)) return "";
  return "every rank sends one word in a step: long messages are not pipelined";
}

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_WORD_STEPS_H_
