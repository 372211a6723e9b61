#include "daemon/decision_cache.h"

#include <utility>

#include "absl/hash/hash.h"

namespace cox::daemon {
namespace {

// Tables of all collectives are some ten kilobytes.
constexpr size_t kMaxAnswers = 256;
// A longer question is not kept: a caller could fill the memory with them.
constexpr size_t kMaxQuestionBytes = 16'384;

}  // namespace

std::shared_ptr<const JobDecisions> DecisionCache::Find(const std::string& question,
                                                        const advise::MachineView& machine) const {
  const std::shared_ptr<const Answers> answers = answers_.load(std::memory_order_acquire);
  const auto found = answers->find(question);
  if (found == answers->end() || found->second->machine.get() != &machine) return nullptr;
  return found->second;
}

std::unique_lock<std::mutex> DecisionCache::TakeTurn(const std::string& question) {
  return std::unique_lock(turns_[absl::HashOf(question) % kTurns]);
}

void DecisionCache::Keep(const std::string& question, std::shared_ptr<const JobDecisions> answer) {
  if (question.size() > kMaxQuestionBytes) return;
  std::shared_ptr<const Answers> before = answers_.load(std::memory_order_acquire);
  std::shared_ptr<const Answers> after;
  do {
    auto kept = std::make_shared<Answers>();
    for (const auto& [other, known] : *before) {
      const bool is_stale =
          known->machine->name == answer->machine->name && known->machine != answer->machine;
      if (!is_stale) kept->emplace(other, known);
    }
    if (kept->size() >= kMaxAnswers) kept->clear();
    kept->insert_or_assign(question, answer);
    after = std::move(kept);
  } while (!answers_.compare_exchange_weak(before, after, std::memory_order_acq_rel));
}

}  // namespace cox::daemon
