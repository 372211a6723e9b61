// Decisions of jobs that were asked for before, so that the same question again costs a lookup. A
// decision holds as long as the machine's view that it was made from is the current one.
//
// Find() takes no lock; Keep() is called from the pool by any number of threads.
#ifndef COX_DAEMON_TUNING_TEXTS_H_
#define COX_DAEMON_TUNING_TEXTS_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advise/machine_view.h"
#include "library/decision_table.h"
#include "library/tuning_format.h"

namespace cox::daemon {

struct TunedAnswer {
  std::shared_ptr<const advise::MachineView> machine;
  library::TunedJob job;
  const library::TuningFormat* format = nullptr;
  std::vector<library::DecisionTable> tables;   // that the text is about
  std::vector<library::DecisionTable> applied;  // with a second library; empty without one
  std::string etag;
};

class TuningTexts {
 public:
  TuningTexts() : answers_(std::make_shared<const Answers>()) {}

  // Null where nothing is kept for the question, or it was made from another view than `machine`.
  std::shared_ptr<const TunedAnswer> Find(const std::string& question,
                                          const advise::MachineView& machine) const;

  // Forgets what no longer holds, and everything where there would be too many.
  void Keep(const std::string& question, std::shared_ptr<const TunedAnswer> answer);

 private:
  using Answers = absl::flat_hash_map<std::string, std::shared_ptr<const TunedAnswer>>;

  std::atomic<std::shared_ptr<const Answers>> answers_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_TUNING_TEXTS_H_
