// Writes batches of observations, all batches of a group at once: finds or creates their jobs,
// sources and scenarios, adds the rows by COPY, and notes their sums for the cells. Some eight
// statements, and three for sketches, however many batches and rows.
//
// Thread rule: the writer's thread. Failure rule: a batch with an unknown machine gets NOT_FOUND
// and leaves the others alone; any other error is the group's.
#ifndef COX_STORE_POSTGRES_INGEST_H_
#define COX_STORE_POSTGRES_INGEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/name_ids.h"
#include "store/postgres/scenario_ids.h"
#include "store/postgres/write_session.h"
#include "store/records.h"

namespace cox::store::postgres {

// What PostgreSQL demands of a batch beyond CheckBatch(): INVALID_ARGUMENT for text that it cannot
// store.
absl::Status CheckTexts(const ObservationBatch& batch);

class Ingest {
 public:
  // `writes` outlives it.
  explicit Ingest(WriteSession& writes) : writes_(writes) {}

  // Adds a batch to the group. Both live until the group ends; `result` is set by Write().
  void Stage(const ObservationBatch* batch, absl::StatusOr<AppendResult>* result) {
    staged_.push_back({batch, result});
  }
  // Writes the group's batches, and adds their machines to `changed`. `now_us`: of the audit.
  absl::Status Write(int64_t now_us, std::vector<std::string>* changed);
  // The group has ended. After a rollback ids of rows may be gone.
  void EndGroup(bool is_committed);

 private:
  struct Staged {
    const ObservationBatch* batch;
    absl::StatusOr<AppendResult>* result;
    int64_t first_id = 0;
  };

  void DropIds();
  absl::Status ResolveMachines();
  absl::Status ResolveReporters();
  absl::Status ResolveScenarios();
  // Gives each batch its ids; returns the next one.
  int64_t AssignIds();
  absl::Status InsertBatches();
  absl::Status CopyObservations();
  absl::Status AddSketches(int64_t now_us);
  absl::Status CountReports();

  WriteSession& writes_;
  std::vector<Staged> staged_;
  int64_t seen_rewrite_count_ = -1;
  int64_t seen_connection_count_ = 0;
  // Groups whose sums wait in cell_change. The first group of a daemon adds what others have left.
  static constexpr int kMostNotedGroups = 32;
  int noted_group_count_ = kMostNotedGroups;
  NameIds machines_{"machine", false};
  NameIds jobs_{"job", true};
  NameIds sources_{"source", true};
  ScenarioIds scenarios_;
};

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_INGEST_H_
