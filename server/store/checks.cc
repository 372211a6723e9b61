#include "store/checks.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "domain/parameter.h"
#include "store/statistic.h"

namespace cox::store {
namespace {

constexpr size_t kMaxNameBytes = 63;

bool IsNameByte(char c) {
  return absl::ascii_isdigit(c) || absl::ascii_islower(c) || c == '.' || c == '_' || c == '-';
}

bool IsMachineName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  if (!absl::ascii_isdigit(name[0]) && !absl::ascii_islower(name[0])) return false;
  for (const char c : name) {
    if (!IsNameByte(c)) return false;
  }
  return true;
}

absl::Status CheckObservation(const ObservationRecord& observation) {
  const domain::ScenarioKey& key = observation.scenario;
  if (!(observation.time_s > 0) || !std::isfinite(observation.time_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("time_s is ", observation.time_s, ", must be finite and > 0"));
  }
  if (observation.count < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("count is ", observation.count, ", must be >= 1"));
  }
  if (!(observation.stddev_s >= 0) || !std::isfinite(observation.stddev_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("stddev_s is ", observation.stddev_s, ", must be finite and >= 0"));
  }
  if (StatisticNumber(observation.statistic) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("statistic is \"", observation.statistic, "\", must be mean, median or min"));
  }
  if (key.nodes < 1 || key.ppn < 1 || key.ranks < 1 || key.block_bytes < 0 || key.type_bytes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("nodes ", key.nodes, ", ppn ", key.ppn, ", ranks ", key.ranks, ", type_bytes ",
                     key.type_bytes, " must be >= 1, block_bytes ", key.block_bytes, " >= 0"));
  }
  // ranks <= nodes * ppn, without the product, which may not fit.
  if ((key.ranks - 1) / key.ppn >= key.nodes) {
    return absl::InvalidArgumentError(
        absl::StrCat("ranks ", key.ranks, " must be <= nodes ", key.nodes, " * ppn ", key.ppn));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMachine(const MachineRecord& machine) {
  if (!IsMachineName(machine.name)) {
    return absl::InvalidArgumentError(absl::StrCat("machine name \"", machine.name,
                                                   "\" does not match [a-z0-9][a-z0-9._-]{0,62}"));
  }
  if (machine.nodes < 0 || machine.cores_per_node < 0) {
    return absl::InvalidArgumentError(absl::StrCat("nodes ", machine.nodes, " and cores_per_node ",
                                                   machine.cores_per_node, " must be >= 0"));
  }
  if (machine.pinned_revision != 0) {
    return absl::InvalidArgumentError(
        "a new machine has no profile to pin: pinned_revision must be 0");
  }
  return absl::OkStatus();
}

absl::Status CheckProfile(const ProfileRecord& profile) {
  static const std::set<std::string> kProvenances = {"published", "calibrated", "refined",
                                                     "imported", "edited"};
  if (kProvenances.count(profile.provenance) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("provenance is \"", profile.provenance,
                     "\", must be published, calibrated, refined, imported or edited"));
  }
  if (profile.observations_through_id < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "observations_through_id is ", profile.observations_through_id, ", must be >= 0"));
  }
  std::set<std::tuple<std::string, domain::Level, std::string, double>> names;
  for (const domain::Parameter& parameter : profile.parameters) {
    const std::string name = absl::StrCat("parameter ", parameter.model, "/",
                                          domain::LevelName(parameter.level), "/", parameter.name);
    if (!std::isfinite(parameter.value)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", parameter.value, ", must be finite"));
    }
    if (!(parameter.stderr_ >= 0) || !std::isfinite(parameter.stderr_)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " has stderr ", parameter.stderr_, ", must be finite and >= 0"));
    }
    if (!(parameter.above >= 0) || !std::isfinite(parameter.above)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " starts above ", parameter.above, ", must be finite and >= 0"));
    }
    if (!names.emplace(parameter.model, parameter.level, parameter.name, parameter.above).second) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is there twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBatch(const ObservationBatch& batch) {
  if (batch.dropped_count < 0 || batch.dropped_count > kMaxDroppedCount) {
    return absl::InvalidArgumentError(absl::StrCat("dropped_count is ", batch.dropped_count,
                                                   ", must be in 0..", kMaxDroppedCount));
  }
  for (size_t i = 0; i < batch.observations.size(); ++i) {
    if (absl::Status status = CheckObservation(batch.observations[i]); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat("observations[", i, "]: ", status.message()));
    }
  }
  for (size_t i = 0; i < batch.sketches.size(); ++i) {
    const domain::PatternSketch& sketch = batch.sketches[i];
    const domain::PatternKey& key = sketch.key;
    if (key.application.empty() || key.nodes < 1 || key.ppn < 1 || key.ranks < 1 ||
        sketch.phase_count < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("sketches[", i,
                       "]: application must not be empty; nodes, ppn, ranks and"
                       " phase_count must be >= 1"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDrift(const domain::Drift& drift) {
  const domain::DriftScope& scope = drift.scope;
  if (scope.level == domain::Level::kSelf) {
    return absl::InvalidArgumentError("scope.level is \"self\", must be node or network");
  }
  if (scope.min_block_bytes < 0 || scope.max_block_bytes < scope.min_block_bytes) {
    return absl::InvalidArgumentError("scope.min_block_bytes must be in 0..max_block_bytes");
  }
  if (drift.first_id < 1 || drift.last_id < drift.first_id || drift.observation_count < 1) {
    return absl::InvalidArgumentError(
        "first_id must be in 1..last_id, observation_count must be >= 1");
  }
  if (!std::isfinite(drift.log_factor)) {
    return absl::InvalidArgumentError("log_factor must be finite");
  }
  return absl::OkStatus();
}

absl::Status CheckWithdrawal(const domain::Withdrawal& withdrawal) {
  const domain::Comparison& evidence = withdrawal.evidence;
  const domain::ComparedCalls& calls = evidence.calls;
  if (calls.nodes < 1 || calls.ppn < 1 || calls.ranks < 1) {
    return absl::InvalidArgumentError("calls.nodes, calls.ppn and calls.ranks must be >= 1");
  }
  if (calls.min_block_bytes < 0 || calls.max_block_bytes < calls.min_block_bytes) {
    return absl::InvalidArgumentError("calls.min_block_bytes must be in 0..max_block_bytes");
  }
  if (evidence.pair_count < 1 || evidence.job_count < 1 || !std::isfinite(evidence.log_factor)) {
    return absl::InvalidArgumentError(
        "pair_count and job_count must be >= 1, log_factor must be finite");
  }
  if (withdrawal.last_id < withdrawal.first_id || withdrawal.revision < 0) {
    return absl::InvalidArgumentError("first_id must be at most last_id, revision must be >= 0");
  }
  return absl::OkStatus();
}

}  // namespace cox::store
