// Caches decisions of jobs: a repeated question costs a lookup. A decision is valid while the
// machine's view that it was made from is the current one.
//
// Find() takes no lock. Any thread.
#ifndef COX_DAEMON_DECISION_CACHE_H_
#define COX_DAEMON_DECISION_CACHE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advise/machine_view.h"
#include "library/decision_table.h"
#include "library/tuning_format.h"

namespace cox::daemon {

// A job's decision tables, and what they were made from.
struct JobDecisions {
  std::shared_ptr<const advise::MachineView> machine;
  library::TunedJob job;
  const library::TuningFormat* format = nullptr;  // of a text; null for decisions alone
  std::vector<library::DecisionTable> tables;
  std::string etag;
  std::vector<std::string> caveats{};  // CaveatsOf() of the job
};

class DecisionCache {
 public:
  DecisionCache() : answers_(std::make_shared<const Answers>()) {}

  // Null if the question is unknown or its answer was made from another view than `machine`.
  std::shared_ptr<const JobDecisions> Find(const std::string& question,
                                           const advise::MachineView& machine) const;

  // Hold it while making the answer to `question`, and look for the answer again first: when many
  // jobs start, one computes and the others wait for it. Waits for another question now and then.
  [[nodiscard]] std::unique_lock<std::mutex> TakeTurn(const std::string& question);

  // Also drops invalid answers, and all answers beyond a limit. Does not keep the answer to a
  // question of more than 16 KiB.
  void Keep(const std::string& question, std::shared_ptr<const JobDecisions> answer);

 private:
  using Answers = absl::flat_hash_map<std::string, std::shared_ptr<const JobDecisions>>;

  static constexpr size_t kTurns = 64;

  std::atomic<std::shared_ptr<const Answers>> answers_;
  std::array<std::mutex, kTurns> turns_;  // by the question's hash
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_DECISION_CACHE_H_
