// A choice that one rank makes for all, from what each tells it: words go up a binomial tree to
// rank 0, and its decision comes down. It waits for nobody but those who have not started yet.
#ifndef COX_COLLECTIVES_CHOICE_DECISION_H_
#define COX_COLLECTIVES_CHOICE_DECISION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collectives/engine/agreement.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

struct DecisionSteps {
  // On rank 0: from the words of all ranks, one behind the other in no order, to `decision_bytes`
  // bytes. Called once.
  std::function<std::vector<char>(std::span<const char> words)> decide;
  // On every rank: how it goes on. Called once, when nothing of the decision is out any more.
  std::function<Chosen(std::span<const char> decision)> go_on;
  size_t decision_bytes = 0;
};

// own_words: what this rank tells, any number of bytes. decision_bytes and what go_on() makes of a
// decision have to be the same on all ranks.
std::unique_ptr<Protocol> MakeDecision(std::vector<char> own_words, DecisionSteps steps);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_DECISION_H_
