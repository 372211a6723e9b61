#include "relay/machine_quota.h"

#include <cstdint>
#include <string>

#include "absl/hash/hash.h"

namespace cox::relay {

absl::Status MachineQuota::Take(const access::Principal& principal,
                                const v1::ReportObservationsRequest& report) {
  if (!report.create_machines()) return absl::OkStatus();
  absl::flat_hash_set<size_t> added;
  const std::lock_guard lock(mutex_);
  const auto look_at = [&](const std::string& machine) {
    const size_t name = absl::HashOf(machine);
    if (!seen_.contains(name)) added.insert(name);
  };
  for (const v1::Observation& observation : report.observations()) look_at(observation.machine());
  for (const v1::PatternSketch& sketch : report.sketches()) look_at(sketch.machine());
  if (added.empty()) return absl::OkStatus();
  absl::Status taken =
      quotas_->Take(principal, access::Quota::kMachines, static_cast<int64_t>(added.size()));
  if (!taken.ok()) return taken;
  if (seen_.size() + added.size() > kMaxNames) seen_.clear();
  seen_.insert(added.begin(), added.end());
  return absl::OkStatus();
}

}  // namespace cox::relay
