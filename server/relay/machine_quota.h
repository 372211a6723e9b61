// Charges callers of a relay for the machines that their reports may register (quota-machines).
//
// A relay does not know which machines coxd has. So it counts a name at its first report since the
// relay's start, whoever reports it. Any thread; memory is bounded.
#ifndef COX_RELAY_MACHINE_QUOTA_H_
#define COX_RELAY_MACHINE_QUOTA_H_

#include <cstddef>
#include <mutex>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "access/principal.h"
#include "access/quotas.h"
#include "cox/v1/observation.pb.h"

namespace cox::relay {

class MachineQuota {
 public:
  // Beyond so many names all are forgotten, and count once more.
  static constexpr size_t kMaxNames = 4'096;

  explicit MachineQuota(access::Quotas* quotas) : quotas_(quotas) {}

  // Takes the machines of the report that are new here from the principal's quota. OK if the report
  // registers none. RESOURCE_EXHAUSTED, as access::Quotas::Take(); then all stay new.
  absl::Status Take(const access::Principal& principal,
                    const v1::ReportObservationsRequest& report);

 private:
  access::Quotas* const quotas_;
  std::mutex mutex_;
  absl::flat_hash_set<size_t> seen_;  // hashes of names; guarded by mutex_
};

}  // namespace cox::relay

#endif  // COX_RELAY_MACHINE_QUOTA_H_
