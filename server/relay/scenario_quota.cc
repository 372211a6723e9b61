#include "relay/scenario_quota.h"

#include <cstdint>
#include <vector>

#include "absl/hash/hash.h"

namespace cox::relay {
namespace {

size_t HashOf(const v1::ReportObservationsRequest& report, const v1::Observation& row) {
  return absl::HashOf(static_cast<int>(report.measurement()), row.machine(), row.library(),
                      row.collective(), row.algorithm(), row.nodes(), row.ppn(), row.ranks(),
                      row.block_bytes(), row.type_bytes());
}

}  // namespace

absl::Status ScenarioQuota::Take(const access::Principal& principal,
                                 const v1::ReportObservationsRequest& report) {
  std::vector<size_t> named;
  named.reserve(static_cast<size_t>(report.observations_size()));
  for (const v1::Observation& row : report.observations()) named.push_back(HashOf(report, row));
  absl::flat_hash_set<size_t> added;
  const std::lock_guard lock(mutex_);
  for (const size_t scenario : named) {
    if (!seen_.contains(scenario)) added.insert(scenario);
  }
  if (added.empty()) return absl::OkStatus();
  absl::Status taken =
      quotas_->Take(principal, access::Quota::kScenarios, static_cast<int64_t>(added.size()));
  if (!taken.ok()) return taken;
  if (seen_.size() + added.size() > kMaxScenarios) seen_.clear();
  seen_.insert(added.begin(), added.end());
  return absl::OkStatus();
}

}  // namespace cox::relay
