#include "store/sqlite/drift_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "domain/drift.h"
#include "store/row_readers.h"
#include "store/sqlite/cell_table.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/retention/old_sums.h"

namespace cox::store {
namespace {

absl::Status InsertEvidence(Database& db, int64_t drift_id, const domain::Drift& drift) {
  int64_t position = 0;
  for (const domain::DriftEvidence& evidence : drift.evidence) {
    const domain::ScenarioKey& key = evidence.scenario;
    Query insert(db, "INSERT INTO drift_evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.Bind(drift_id).Bind(position++).Bind(absl::string_view(key.library));
    insert.Bind(absl::string_view(key.collective)).Bind(absl::string_view(key.algorithm));
    insert.Bind(key.nodes).Bind(key.ppn).Bind(key.ranks).Bind(key.block_bytes);
    insert.Bind(evidence.log_factor).Bind(evidence.observation_count);
    if (absl::Status status = insert.Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status BeginEpoch(Database& db, const CellSums& sums) {
  if (absl::Status status = TakeOut(db, sums); !status.ok()) return status;
  CellSums moved;
  for (const auto& [key, cell] : sums) moved[{key.scenario_id, key.kind, key.epoch + 1}] = cell;
  return PutIn(db, moved);
}

absl::StatusOr<std::vector<domain::DriftEvidence>> ReadEvidence(Database& db, int64_t drift_id) {
  Query query(db,
              "SELECT library, collective, algorithm, nodes, ppn, ranks, block_bytes, log_factor,"
              " observation_count FROM drift_evidence WHERE drift_id = ? ORDER BY position");
  query.Bind(drift_id);
  std::vector<domain::DriftEvidence> evidence;
  while (query.Next()) evidence.push_back(DriftEvidenceOf(query));
  if (!query.status().ok()) return query.status();
  return evidence;
}

}  // namespace

absl::Status SumUpScope(Database& db, const domain::Drift& drift, int64_t through_id,
                        DriftSums* sums) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, drift.machine);
  if (!machine_id.ok()) return machine_id.status();
  const domain::DriftScope& scope = drift.scope;
  Query rows(
      db, absl::StrCat("SELECT ", TimingColumns(),
                       " FROM observation o CROSS JOIN scenario s USING (scenario_id)", kBatchOfRow,
                       " WHERE o.machine_id = ?1 AND o.observation_id BETWEEN ?2 AND ?3"
                       " AND ?4 IN ('', s.library) AND ?5 IN ('', s.collective)"
                       " AND ?6 = CASE WHEN s.nodes > 1 THEN 'network' ELSE 'node' END"
                       " AND s.block_bytes BETWEEN ?7 AND ?8"));
  rows.Bind(*machine_id).Bind(std::max(drift.first_id, sums->through_id + 1)).Bind(through_id);
  rows.Bind(absl::string_view(scope.library)).Bind(absl::string_view(scope.collective));
  rows.Bind(domain::LevelName(scope.level)).Bind(scope.min_block_bytes).Bind(scope.max_block_bytes);
  if (absl::Status status = SumUp(rows, sums->cells); !status.ok()) return status;
  if (sums->through_id == 0) {
    absl::Status added = AddOldSumsSince(db, *machine_id, drift, sums->cells);
    if (!added.ok()) return added;
  }
  sums->through_id = through_id;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> InsertDrift(Database& db, const domain::Drift& drift,
                                    int64_t create_time_us, const DriftSums& sums) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, drift.machine);
  if (!machine_id.ok()) return machine_id.status();
  {
    Query insert(db,
                 "INSERT INTO drift (machine_id, library, collective, level, min_block_bytes,"
                 " max_block_bytes, first_id, last_id, log_factor, observation_count,"
                 " create_time_us, is_followed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)");
    const domain::DriftScope& scope = drift.scope;
    insert.Bind(*machine_id).Bind(absl::string_view(scope.library));
    insert.Bind(absl::string_view(scope.collective)).Bind(domain::LevelName(scope.level));
    insert.Bind(scope.min_block_bytes).Bind(scope.max_block_bytes);
    insert.Bind(drift.first_id).Bind(drift.last_id).Bind(drift.log_factor);
    insert.Bind(drift.observation_count).Bind(create_time_us);
    if (absl::Status status = insert.Run(); !status.ok()) return status;
  }
  const int64_t drift_id = db.LastInsertId();
  absl::Status status = InsertEvidence(db, drift_id, drift);
  if (status.ok()) status = BeginEpoch(db, sums.cells);
  if (!status.ok()) return status;
  return drift_id;
}

absl::StatusOr<std::vector<domain::Drift>> ReadDrifts(Database& db, absl::string_view machine,
                                                      int64_t before, int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db,
              "SELECT drift_id, library, collective, level, min_block_bytes, max_block_bytes,"
              " first_id, last_id, log_factor, observation_count, create_time_us, is_followed"
              " FROM drift"
              " WHERE machine_id = ?1 AND (?2 = 0 OR drift_id < ?2) ORDER BY drift_id DESC"
              " LIMIT ?3");
  query.Bind(*machine_id).Bind(before).Bind(limit);
  std::vector<domain::Drift> drifts;
  while (query.Next()) {
    absl::StatusOr<domain::Drift> drift = DriftOf(query, machine);
    if (!drift.ok()) return drift.status();
    drifts.push_back(*std::move(drift));
  }
  if (!query.status().ok()) return query.status();
  for (domain::Drift& drift : drifts) {
    absl::StatusOr<std::vector<domain::DriftEvidence>> evidence = ReadEvidence(db, drift.id);
    if (!evidence.ok()) return evidence.status();
    drift.evidence = *std::move(evidence);
  }
  return drifts;
}

}  // namespace cox::store
