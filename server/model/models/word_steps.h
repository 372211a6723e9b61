// Phases for the models in which each rank writes at most one word per step (MP-BSP, MP-E-BSP).
// Pure functions, any thread.
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

  double steps;     // words of the busiest sender: one per step
  double received;  // sum over the steps of the most words that one rank receives (a lower bound)
  double words;     // of all ranks
};

// The caveat for a schedule with longer messages; "" if there are none.
inline std::string OneWordPerStepCaveat(const Schedule& schedule, double word_bytes) {
  if (!HasMessageAbove(schedule, word_bytes)) return "";
  return "every rank sends one word in a step: long messages are not pipelined";
}

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_WORD_STEPS_H_
