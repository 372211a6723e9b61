// Charges callers of a relay for the new scenarios of their reports (quota-scenarios).
//
// A relay does not know which scenarios coxd has. So it counts a scenario at its first report since
// the relay's start, whoever reports it. Any thread; memory is bounded: 10 MiB at most.
#ifndef COX_RELAY_SCENARIO_QUOTA_H_
#define COX_RELAY_SCENARIO_QUOTA_H_

#include <cstddef>
#include <mutex>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "access/principal.h"
#include "access/quotas.h"
#include "cox/v1/observation.pb.h"

namespace cox::relay {

class ScenarioQuota {
 public:
  // Beyond so many scenarios all are forgotten, and count once more.
  static constexpr size_t kMaxScenarios = 500'000;

  explicit ScenarioQuota(access::Quotas* quotas) : quotas_(quotas) {}

  // Takes the scenarios of the report that are new here from the principal's quota.
  // RESOURCE_EXHAUSTED, as access::Quotas::Take(); then all stay new.
  absl::Status Take(const access::Principal& principal,
                    const v1::ReportObservationsRequest& report);

 private:
  access::Quotas* const quotas_;
  std::mutex mutex_;
  absl::flat_hash_set<size_t> seen_;  // hashes of scenarios; guarded by mutex_
};

}  // namespace cox::relay

#endif  // COX_RELAY_SCENARIO_QUOTA_H_
