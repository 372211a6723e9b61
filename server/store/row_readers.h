// Records from the rows of a query, for every engine: each names the columns that it reads, in the
// order in which an engine's SELECT lists them. `Query` has Int(), Real() and Text() of a column.
//
// Thread rule: the query's. Failure rule: cannot fail, unless said.
#ifndef COX_STORE_ROW_READERS_H_
#define COX_STORE_ROW_READERS_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/withdrawal.h"
#include "store/history.h"
#include "store/records.h"

namespace cox::store {

// name, nodes, cores_per_node, topology_kind, topology_dims, create_time_us, pinned_revision,
// provenance of the active revision, relearn_from_id.
template <typename Query>
MachineRecord MachineOf(const Query& query) {
  return {.name = query.Text(0),
          .nodes = query.Int(1),
          .cores_per_node = query.Int(2),
          .topology_kind = query.Text(3),
          .topology_dims = query.Text(4),
          .create_time_us = query.Int(5),
          .pinned_revision = query.Int(6),
          .provenance = query.Text(7),
          .relearn_from_id = query.Int(8)};
}

// Without its parameters: profile_id, which the record does not have, revision, provenance, note,
// observations_through_id, create_time_us.
template <typename Query>
ProfileRecord ProfileOf(const Query& query, absl::string_view machine) {
  return {.machine = std::string(machine),
          .revision = query.Int(1),
          .provenance = query.Text(2),
          .note = query.Text(3),
          .observations_through_id = query.Int(4),
          .create_time_us = query.Int(5),
          .parameters = {}};
}

// model, level, name, value, stderr, above, relation, source. DATA_LOSS: no such level.
template <typename Query>
absl::StatusOr<domain::Parameter> ParameterOf(const Query& query) {
  const absl::StatusOr<domain::Level> level = domain::ParseLevel(query.Text(1));
  if (!level.ok()) return absl::DataLossError(level.status().message());
  return domain::Parameter{.model = query.Text(0),
                           .level = *level,
                           .name = query.Text(2),
                           .value = query.Real(3),
                           .stderr_ = query.Real(4),
                           .source = query.Text(7),
                           .above = query.Real(5),
                           .relation = query.Text(6)};
}

// withdrawal_id, library, collective, algorithm, nodes, ppn, ranks, min_block_bytes,
// max_block_bytes, log_factor, pair_count, job_count, first_id, last_id, revision, create_time_us.
template <typename Query>
domain::Withdrawal WithdrawalOf(const Query& query, absl::string_view machine) {
  return {.id = query.Int(0),
          .machine = std::string(machine),
          .evidence = {.calls = {.library = query.Text(1),
                                 .collective = query.Text(2),
                                 .algorithm = query.Text(3),
                                 .nodes = query.Int(4),
                                 .ppn = query.Int(5),
                                 .ranks = query.Int(6),
                                 .min_block_bytes = query.Int(7),
                                 .max_block_bytes = query.Int(8)},
                       .log_factor = query.Real(9),
                       .pair_count = query.Int(10),
                       .job_count = query.Int(11)},
          .first_id = query.Int(12),
          .last_id = query.Int(13),
          .revision = query.Int(14),
          .create_time_us = query.Int(15)};
}

// Without its evidence: drift_id, library, collective, level, min_block_bytes, max_block_bytes,
// first_id, last_id, log_factor, observation_count, create_time_us, is_followed. DATA_LOSS: no such
// level.
template <typename Query>
absl::StatusOr<domain::Drift> DriftOf(const Query& query, absl::string_view machine) {
  const absl::StatusOr<domain::Level> level = domain::ParseLevel(query.Text(3));
  if (!level.ok()) return absl::DataLossError(level.status().message());
  return domain::Drift{.id = query.Int(0),
                       .machine = std::string(machine),
                       .scope = {.library = query.Text(1),
                                 .collective = query.Text(2),
                                 .level = *level,
                                 .min_block_bytes = query.Int(4),
                                 .max_block_bytes = query.Int(5)},
                       .first_id = query.Int(6),
                       .last_id = query.Int(7),
                       .log_factor = query.Real(8),
                       .observation_count = query.Int(9),
                       .create_time_us = query.Int(10),
                       .evidence = {},
                       .is_followed = query.Int(11) != 0};
}

// library, collective, algorithm, nodes, ppn, ranks, block_bytes, log_factor, observation_count.
template <typename Query>
domain::DriftEvidence DriftEvidenceOf(const Query& query) {
  return {.scenario = {.machine = "",
                       .library = query.Text(0),
                       .collective = query.Text(1),
                       .algorithm = query.Text(2),
                       .nodes = query.Int(3),
                       .ppn = query.Int(4),
                       .ranks = query.Int(5),
                       .block_bytes = query.Int(6)},
          .log_factor = query.Real(7),
          .observation_count = query.Int(8)};
}

// last batch, name, machines with commas between them (repeated or not), source, observations,
// dropped timings, first and last time, reporters.
template <typename Query>
JobRecord JobOf(const Query& query) {
  const std::set<std::string> machines = absl::StrSplit(query.Text(2), ',');
  return {.last_batch_id = query.Int(0),
          .name = query.Text(1),
          .machines = {machines.begin(), machines.end()},
          .source = query.Text(3),
          .count = {query.Int(4), query.Int(5)},
          .first_time_us = query.Int(6),
          .last_time_us = query.Int(7),
          .reporter_count = query.Int(8)};
}

// audit_id, time_us, principal, method, machine, change.
template <typename Query>
AuditRecord AuditOf(const Query& query) {
  return {.id = query.Int(0),
          .time_us = query.Int(1),
          .actor = {.principal = query.Text(2), .method = query.Text(3)},
          .machine = query.Text(4),
          .change = query.Text(5)};
}

}  // namespace cox::store

#endif  // COX_STORE_ROW_READERS_H_
