// Writes batches of observations: finds or creates their scenarios, adds the rows, and updates the
// scenarios' cells. Cells are summed up in memory over a group and written once, in the group's
// transaction.
//
// Thread rule: the writer's thread. Failure rule: INVALID_ARGUMENT (names the first bad
// observation), NOT_FOUND (machine), else as database.h. A batch that fails leaves no trace here or
// in the file, as long as its caller undoes the savepoint.
#ifndef COX_STORE_SQLITE_INGEST_H_
#define COX_STORE_SQLITE_INGEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "domain/cell_key.h"
#include "store/records.h"
#include "store/sqlite/cell_table.h"
#include "store/sqlite/database.h"
#include "store/sqlite/rows/new_observations.h"

namespace cox::store {

class Ingest {
 public:
  // `db` outlives it. Load() before anything else.
  explicit Ingest(Database& db) : db_(db), rows_(db) {}
  absl::Status Load();

  // `now_us`: of the audit.
  absl::StatusOr<AppendResult> Append(const ObservationBatch& batch, int64_t now_us);

  // As WriteState says.
  absl::Status BeforeCommit();
  void AfterCommit();
  void AfterRollback();

  // Drops all copies of rows, after another task has changed the file. Not while cells wait to be
  // written (so: in a group of its own).
  void DropCaches();

 private:
  // A scenario as one kind of batches sees it, in its current epoch.
  struct Scenario {
    int64_t machine_id = 0;
    CellKey key;
    StoredCell stored;     // with all batches of the group
    Cell pending;          // of the batch that is being written
    bool changed = false;  // stored.cell is newer than the file
  };
  struct KeyHash {
    size_t operator()(const domain::ScenarioKey& key) const;
  };

  absl::StatusOr<int64_t> MachineId(const std::string& name);
  absl::StatusOr<int64_t> JobId(const std::string& name);
  absl::StatusOr<int64_t> SourceId(const std::string& name);
  absl::StatusOr<Scenario*> FindScenario(const domain::ScenarioKey& key, domain::CellKind kind);
  absl::Status InsertRows(const ObservationBatch& batch, int64_t first_id);
  // 0 for none.
  absl::StatusOr<int64_t> DroppedMachineId(const ObservationBatch& batch);
  absl::Status AddDropped(const ObservationBatch& batch, int64_t job_id);
  absl::Status AddSketches(const ObservationBatch& batch, int64_t job_id, int64_t source_id,
                           int64_t now_us);
  // Counts the batch, whose rows are in pending_, per machine.
  absl::Status CountReports(const ObservationBatch& batch, int64_t job_id, int64_t source_id);
  void Forget(const ObservationBatch& batch);

  Database& db_;
  NewObservations rows_;  // of the batch that is being written
  int64_t next_id_ = 1;
  int64_t committed_next_id_ = 1;
  absl::flat_hash_map<std::string, int64_t> machine_ids_;
  absl::flat_hash_map<std::string, int64_t> job_ids_;
  absl::flat_hash_map<std::string, int64_t> source_ids_;
  // By kind.
  absl::flat_hash_map<domain::ScenarioKey, std::unique_ptr<Scenario>, KeyHash> scenarios_[2];
  size_t cached_bins_ = 0;
  std::vector<Scenario*> changed_;  // over the group
  std::vector<Scenario*> pending_;  // over the batch
  // Made by the batch that is being written: gone again if it fails.
  std::vector<domain::ScenarioKey> new_scenarios_;
};

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_INGEST_H_
