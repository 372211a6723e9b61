#include "relay/first_report_quota.h"

#include <cstdint>

#include "absl/hash/hash.h"

namespace cox::relay {
namespace {

std::vector<size_t> MachinesToRegister(const v1::ReportObservationsRequest& report) {
  std::vector<size_t> machines;
  if (!report.create_machines()) return machines;
  for (const v1::Observation& row : report.observations()) {
    machines.push_back(absl::HashOf(row.machine()));
  }
  for (const v1::PatternSketch& sketch : report.sketches()) {
    machines.push_back(absl::HashOf(sketch.machine()));
  }
  return machines;
}

std::vector<size_t> Scenarios(const v1::ReportObservationsRequest& report) {
  std::vector<size_t> scenarios;
  scenarios.reserve(static_cast<size_t>(report.observations_size()));
  for (const v1::Observation& row : report.observations()) {
    scenarios.push_back(absl::HashOf(static_cast<int>(report.measurement()), row.machine(),
                                     row.library(), row.collective(), row.algorithm(), row.nodes(),
                                     row.ppn(), row.ranks(), row.block_bytes(), row.type_bytes()));
  }
  return scenarios;
}

}  // namespace

const FirstReportQuota::Kind FirstReportQuota::kMachines = {
    .quota = access::Quota::kMachines, .most_names = 4'096, .names = MachinesToRegister};
const FirstReportQuota::Kind FirstReportQuota::kScenarios = {
    .quota = access::Quota::kScenarios, .most_names = 500'000, .names = Scenarios};

absl::Status FirstReportQuota::Take(const access::Principal& principal,
                                    const v1::ReportObservationsRequest& report) {
  const std::vector<size_t> names = kind_.names(report);
  absl::flat_hash_set<size_t> added;
  const std::lock_guard lock(mutex_);
  for (const size_t name : names) {
    if (!seen_.contains(name)) added.insert(name);
  }
  if (added.empty()) return absl::OkStatus();
  absl::Status taken = quotas_->Take(principal, kind_.quota, static_cast<int64_t>(added.size()));
  if (!taken.ok()) return taken;
  if (seen_.size() + added.size() > kind_.most_names) seen_.clear();
  seen_.insert(added.begin(), added.end());
  return absl::OkStatus();
}

}  // namespace cox::relay
