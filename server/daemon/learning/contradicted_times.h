// The observations of a machine that their own cells contradict (learn/robust_location.h has the
// rule). The learner does not refine parameters by them. Immutable after construction, any thread.
#ifndef COX_DAEMON_LEARNING_CONTRADICTED_TIMES_H_
#define COX_DAEMON_LEARNING_CONTRADICTED_TIMES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "domain/cell_key.h"
#include "domain/drift.h"
#include "learn/robust_location.h"
#include "store/records.h"

namespace cox::daemon {

class ContradictedTimes {
 public:
  // `cells` and `drifts`: all of a machine. They outlive this. An observation's own cell is that of
  // its epoch: learning may begin again before a drift that is recorded.
  ContradictedTimes(const std::vector<store::CellRecord>& cells,
                    absl::Span<const domain::Drift> drifts);

  // Whether the observation is one of them. False if its scenario has too few to tell.
  bool Contain(const store::ObservationRecord& observation) const;

 private:
  struct Key {
    const domain::ScenarioKey* scenario;
    domain::CellKind kind;
    int64_t epoch;
    friend bool operator==(const Key& a, const Key& b) {
      return a.kind == b.kind && a.epoch == b.epoch && *a.scenario == *b.scenario;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), *key.scenario, key.kind, key.epoch);
    }
  };
  struct Known {
    double count = 0;
    learn::RobustLocation location;
  };
  absl::Span<const domain::Drift> drifts_;
  absl::flat_hash_map<Key, Known> known_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_CONTRADICTED_TIMES_H_
