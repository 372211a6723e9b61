// The rows of cells: reads them, changes one, and rebuilds them from the observations. No
// transaction of its own.
//
// Thread rule: the connection's. Failure rule: as database.h; NOT_FOUND for an unknown machine.
#ifndef COX_STORE_SQLITE_CELL_TABLE_H_
#define COX_STORE_SQLITE_CELL_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/cell_key.h"
#include "store/cell.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Which cell an observation belongs to.
struct CellKey {
  int64_t scenario_id = 0;
  domain::CellKind kind = domain::CellKind::kBenchmark;
  int64_t epoch = 0;
  friend bool operator==(const CellKey&, const CellKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const CellKey& key) {
    return H::combine(std::move(h), key.scenario_id, static_cast<int>(key.kind), key.epoch);
  }
};
using CellSums = absl::flat_hash_map<CellKey, Cell>;

struct StoredCell {
  int64_t cell_id = 0;  // 0: no row yet
  Cell cell;
};

// The condition that row `d` of drift is about scenario `s` of the same machine.
inline constexpr const char* kDriftIsAbout =
    "d.machine_id = s.machine_id AND d.library IN ('', s.library)"
    " AND d.collective IN ('', s.collective)"
    " AND d.level = CASE WHEN s.nodes > 1 THEN 'network' ELSE 'node' END"
    " AND s.block_bytes BETWEEN d.min_block_bytes AND d.max_block_bytes";

// The name of the source of batch, or old sum, `b`; NULL: none.
inline constexpr const char* kSourceOf = "(SELECT name FROM source WHERE source_id = b.source_id)";

// Drifts so far of a scenario: the epoch of the next observation of it.
absl::StatusOr<int64_t> CurrentEpoch(Database& db, int64_t scenario_id);

// The stored cell; an empty one with cell_id 0 if there is no row.
absl::StatusOr<StoredCell> FindCell(Database& db, const CellKey& key);
// Inserts, updates, or deletes one that became empty; then cell_id is that of the row, or 0.
absl::Status WriteCell(Database& db, const CellKey& key, StoredCell& stored);

// Joins the batch `b` of the observation `o`: the last one that starts at or before it.
inline constexpr const char* kBatchOfRow =
    " CROSS JOIN batch b ON b.batch_id = (SELECT max(batch_id) FROM batch"
    " WHERE batch_id <= o.observation_id)";

// What SumUp() needs of the observation `o` of scenario `s` and batch `b`: scenario_id, kind,
// epoch, time_s, timing_count, source.
std::string TimingColumns();
// Adds the rows of `query`, which selects TimingColumns(), to `sums`.
absl::Status SumUp(Query& query, CellSums& sums);
// Subtract `sums` from the stored cells, or add them. A cell that becomes empty loses its row.
absl::Status TakeOut(Database& db, const CellSums& sums);
absl::Status PutIn(Database& db, const CellSums& sums);

// Rebuilds the cells of a machine, or of all, from the observations and the sums of old ones. Cost:
// all rows; memory: all cells.
absl::Status RebuildCells(Database& db, std::optional<int64_t> machine_id);
// Rebuilds all cells and report counts if a migration has marked them as stale.
absl::Status RebuildStaleCells(Database& db);

// The cells of a machine in the order in which their scenarios came, at most `limit`.
absl::StatusOr<std::vector<CellRecord>> ReadCells(Database& db, absl::string_view machine,
                                                  int64_t limit);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_CELL_TABLE_H_
