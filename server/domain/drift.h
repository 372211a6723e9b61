// A drift: a lasting change in the times of some scenarios. It names the scenarios and the
// evidence. Plain data.
#ifndef COX_DOMAIN_DRIFT_H_
#define COX_DOMAIN_DRIFT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/cell_key.h"
#include "domain/level.h"

namespace cox::domain {

// The scenarios that a drift covers.
struct DriftScope {
  std::string library;         // "": any
  std::string collective;      // "": any
  Level level = Level::kNode;  // kNode: scenarios of one node, kNetwork: of several
  int64_t min_block_bytes = 0;
  int64_t max_block_bytes = INT64_MAX;

  bool Holds(absl::string_view of_library, absl::string_view of_collective, int64_t nodes,
             int64_t block_bytes) const;
  friend bool operator==(const DriftScope&, const DriftScope&) = default;
};

// One scenario's share of the evidence.
struct DriftEvidence {
  ScenarioKey scenario;  // machine and type_bytes stay unset
  double log_factor = 0;
  int64_t observation_count = 0;
};

struct Drift {
  int64_t id = 0;  // assigned by the store
  std::string machine;
  DriftScope scope;
  int64_t first_id = 0;   // first observation of the new times (an estimate)
  int64_t last_id = 0;    // the observation that completed the evidence
  double log_factor = 0;  // median of ln(time now / time before)
  int64_t observation_count = 0;
  int64_t create_time_us = 0;             // assigned by the store
  std::vector<DriftEvidence> evidence{};  // the most observed scenarios first
  // A profile that takes it into account was added since. Assigned by the store.
  bool is_followed = false;
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_DRIFT_H_
