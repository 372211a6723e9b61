// One stream of the drift detector: a scope of scenarios, and the cumulative sums of its slow and
// fast observations (learn/drift.h describes the test). One thread at a time. Memory is bounded.
#ifndef COX_LEARN_DRIFT_STREAM_H_
#define COX_LEARN_DRIFT_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "domain/cell_key.h"
#include "domain/drift.h"

namespace cox::learn {

// An observation beside its reference.
struct Deviation {
  const domain::CellKey* cell;  // outlives the deviation
  double log_time;              // ln(seconds)
  double delta;                 // of log_time from the reference's median
  uint64_t reporter;            // a number that stands for it
};

class DriftStream {
 public:
  static constexpr size_t kMaxEvidence = 8;

  explicit DriftStream(domain::DriftScope scope) : scope_(std::move(scope)) {}

  const domain::DriftScope& scope() const { return scope_; }

  // Takes the next observation of the scope; `sign` as DriftReference::SignOf() says. Returns the
  // drift that it completes.
  std::optional<domain::Drift> Watch(int64_t id, const Deviation& deviation, int sign,
                                     absl::string_view reporter);

  // The observations behind a drift that Watch() has just returned; some of them, where they are
  // many.
  const std::vector<Deviation>& DeviationsOf(const domain::Drift& drift) const {
    return drift.log_factor > 0 ? slow_.deviations : fast_.deviations;
  }

 private:
  using Counts = absl::flat_hash_map<std::string, int>;  // by reporter, bounded

  // One direction, since its sum was last 0.
  struct Run {
    int score = 0;
    int64_t first_id = 0;
    int64_t count = 0;
    std::vector<Deviation> deviations;  // in this direction, bounded
    Counts by_reporter;
  };

  static void CountOne(absl::string_view reporter, Counts& counts);
  std::optional<domain::Drift> Advance(Run& run, int64_t id, const Deviation& deviation,
                                       bool deviates, absl::string_view reporter) const;
  bool IsConfirmed(const Run& run) const;
  domain::Drift Describe(const Run& run, int64_t id) const;

  domain::DriftScope scope_;
  Run slow_;
  Run fast_;
  Counts ordinary_;  // observations without a deviation, while both sums were 0
};

}  // namespace cox::learn

#endif  // COX_LEARN_DRIFT_STREAM_H_
