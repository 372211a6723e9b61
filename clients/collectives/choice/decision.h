// One rank decides for all, from what each rank reports: reports go up a binomial tree to rank 0,
// and its decision comes down. It waits only for ranks that have not started the operation.
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
  // On rank 0: turns the reports of all ranks, concatenated in any order, into a decision of
  // `decision_bytes` bytes. Called once.
  std::function<std::vector<char>(std::span<const char> words)> decide;
  // On every rank: returns how it continues. Called once, when no message of the decision is
  // pending.
  std::function<Chosen(std::span<const char> decision)> go_on;
  size_t decision_bytes = 0;
};

// own_words: this rank's report, of any length. All ranks must pass the same decision_bytes, and
// go_on() must return the same for the same decision.
std::unique_ptr<Protocol> MakeDecision(std::vector<char> own_words, DecisionSteps steps);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_DECISION_H_
