// Charges callers of a relay for what their reports name first: machines that they may register
// (quota-machines), and scenarios (quota-scenarios).
//
// A relay does not know what coxd has. So it counts a name at its first report since the relay's
// start, whoever reports it. Any thread; memory is bounded: about 20 bytes for each name.
#ifndef COX_RELAY_FIRST_REPORT_QUOTA_H_
#define COX_RELAY_FIRST_REPORT_QUOTA_H_

#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "access/principal.h"
#include "access/quotas.h"
#include "cox/v1/observation.pb.h"

namespace cox::relay {

class FirstReportQuota {
 public:
  // What of a report counts.
  struct Kind {
    access::Quota quota;
    // Beyond so many names all are forgotten, and count once more.
    size_t most_names;
    // Hashes of the names in a report; a name may come more than once.
    std::vector<size_t> (*names)(const v1::ReportObservationsRequest& report);
  };
  // Of reports that may register machines, their machines.
  static const Kind kMachines;
  // Of all reports, their scenarios. Those of benchmarks and of jobs differ.
  static const Kind kScenarios;

  FirstReportQuota(const Kind& kind, access::Quotas* quotas) : kind_(kind), quotas_(quotas) {}

  // Takes the names in the report that are new here from the principal's quota.
  // RESOURCE_EXHAUSTED, as access::Quotas::Take(); then all stay new.
  absl::Status Take(const access::Principal& principal,
                    const v1::ReportObservationsRequest& report);

 private:
  const Kind kind_;
  access::Quotas* const quotas_;
  std::mutex mutex_;
  absl::flat_hash_set<size_t> seen_;  // hashes of names; guarded by mutex_
};

}  // namespace cox::relay

#endif  // COX_RELAY_FIRST_REPORT_QUOTA_H_
