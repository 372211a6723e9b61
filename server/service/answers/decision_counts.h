// How many decisions the daemon has given since its start, by outcome. Any thread.
#ifndef COX_SERVICE_ANSWERS_DECISION_COUNTS_H_
#define COX_SERVICE_ANSWERS_DECISION_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace cox::service {

class DecisionCounts {
 public:
  enum Outcome : size_t {
    kChanged,  // another algorithm than the library's default
    kDefault,  // the default is best, or no other one is surely better
    kUnknown,  // the default, because nothing predicts a time
    kTrial,    // an algorithm to be tried
    kOutcomeCount,
  };
  static constexpr std::array<absl::string_view, kOutcomeCount> kNames = {"changed", "default",
                                                                          "unknown", "trial"};

  // `predicted_time_s` <= 0: unknown.
  void Count(absl::string_view algorithm, double predicted_time_s, bool is_trial = false) {
    const Outcome outcome = is_trial                 ? kTrial
                            : algorithm != "default" ? kChanged
                            : predicted_time_s > 0   ? kDefault
                                                     : kUnknown;
    counts_[outcome].fetch_add(1, std::memory_order_relaxed);
  }
  int64_t Of(size_t outcome) const { return counts_[outcome].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<int64_t>, kOutcomeCount> counts_{};
};

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_DECISION_COUNTS_H_
