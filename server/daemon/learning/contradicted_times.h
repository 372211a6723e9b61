// The observations of a machine that their own cells contradict (learn/robust_location.h has the
// rule). The learner does not refine parameters by them. Immutable after construction, any thread.
#ifndef COX_DAEMON_LEARNING_CONTRADICTED_TIMES_H_
#define COX_DAEMON_LEARNING_CONTRADICTED_TIMES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "domain/cell_key.h"
#include "learn/robust_location.h"
#include "store/records.h"

namespace cox::daemon {

class ContradictedTimes {
 public:
  // `cells`: all of a machine. Those of a scenario's newest epoch count. They outlive this.
  explicit ContradictedTimes(const std::vector<store::CellRecord>& cells);

  // Whether the observation is one of them. False if its scenario has too few to tell.
  bool Contain(const store::ObservationRecord& observation) const;

 private:
  struct Key {
    const domain::ScenarioKey* scenario;
    domain::CellKind kind;
    friend bool operator==(const Key& a, const Key& b) {
      return a.kind == b.kind && *a.scenario == *b.scenario;
    }
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), *key.scenario, key.kind);
    }
  };
  struct Known {
    int64_t epoch = -1;
    double count = 0;
    learn::RobustLocation location;
  };
  absl::flat_hash_map<Key, Known> known_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_CONTRADICTED_TIMES_H_
