// Protects a profile that a person set from what jobs teach. If learning moves predictions far, it
// waits until an operator or a second source agrees. One thread at a time; never fails.
#ifndef COX_LEARN_REFINE_HOLD_BACK_H_
#define COX_LEARN_REFINE_HOLD_BACK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/cell_key.h"
#include "domain/profile.h"
#include "learn/samples.h"

namespace cox::learn {

class HoldBack {
 public:
  // More than this factor, up or down, is far.
  static constexpr double kFar = 2;
  // A source agrees with at least this many observations.
  static constexpr int64_t kLeastAgreeing = 3;
  // The source of everything that operators import without a job. File names do not make it several
  // sources. A benchmark with at least kLeastScenarios that agree is an operator's word.
  static constexpr absl::string_view kImports = "an operator's imports";
  static constexpr int64_t kLeastScenarios = 8;
  // Later scenarios, later sources of a scenario, and later jobs are not remembered.
  static constexpr size_t kMaxScenarios = 512;
  static constexpr size_t kMaxSources = 16;
  static constexpr size_t kMaxJobs = 4096;

  // Holds nothing back, because no person has set a profile.
  HoldBack() = default;
  // `stated`: the profile that a person set.
  explicit HoldBack(domain::Profile stated) : stated_(std::move(stated)) {}

  bool has_stated() const { return stated_.has_value(); }

  // An observation that refined the profile. All sources of one `job` (empty: none) are one source,
  // the job's first.
  void Add(const Cell& observation, absl::string_view source, absl::string_view job = "");

  struct Verdict {
    bool is_held = false;
    double factor = 1;                 // >= 1: the median over the scenarios added
    std::vector<std::string> sources;  // whose observations agree with the move
  };
  // Whether `refined` is held back. A time that no machine takes (domain/plausible_time.h) agrees
  // with nothing. O(scenarios): prices each twice.
  Verdict Judge(const domain::Profile& refined) const;

 private:
  struct Times {
    double log_sum = 0;
    int64_t count = 0;
    bool is_benchmark = false;  // at least one of them
  };
  // The source that counts for an observation.
  std::string SourceOf(absl::string_view source, absl::string_view job);

  std::optional<domain::Profile> stated_;
  std::map<domain::ScenarioKey, std::map<std::string, Times>> times_;  // by source
  std::map<std::string, std::string> source_of_job_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_REFINE_HOLD_BACK_H_
