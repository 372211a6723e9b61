// The rows of cells: reads them, adds to them, takes out of them, and rebuilds them from the
// observations. No transaction of its own.
//
// What reports add waits in cell_change for some groups: then a cell changes once for all of them.
//
// Thread rule: the session's. Failure rule: as session.h; NOT_FOUND for an unknown machine.
#ifndef COX_STORE_POSTGRES_ROWS_CELL_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_CELL_ROWS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/cell_key.h"
#include "store/cell.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

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

// The condition that row `d` of drift is about scenario `s` of the same machine.
inline constexpr const char* kDriftIsAbout =
    "d.machine_id = s.machine_id AND d.library IN ('', s.library)"
    " AND d.collective IN ('', s.collective)"
    " AND d.level = CASE WHEN s.nodes > 1 THEN 'network' ELSE 'node' END"
    " AND s.block_bytes BETWEEN d.min_block_bytes AND d.max_block_bytes";

// The name of the source of batch, or old sum, `b`; NULL: none.
inline constexpr const char* kSourceOf = "(SELECT name FROM source WHERE source_id = b.source_id)";

// Joins the batch `b` of the observation `o`: the last one that starts at or before it.
inline constexpr const char* kBatchOfRow =
    "CROSS JOIN LATERAL (SELECT * FROM batch b WHERE b.batch_id <= o.observation_id"
    " ORDER BY b.batch_id DESC LIMIT 1) b";

// What SumUp() needs of the observation `o` of scenario `s` and batch `b`: scenario_id, kind,
// epoch, time_s, timing_count, source.
std::string TimingColumns();
// Adds the rows of `query`, which selects TimingColumns(), to `sums`.
absl::Status SumUp(Query& query, CellSums& sums);
// Notes that `sums` are to be added to the cells. One statement, however many cells.
absl::Status NoteCellChange(Session& session, const CellSums& sums);
// Adds to the cells what was noted, also by other daemons. Drops the sums of scenarios that do not
// exist.
absl::Status MakeCellChanges(Session& session);

// Subtract `sums` from the stored cells, or add them. A cell that becomes empty loses its row. Some
// statements, however many cells.
absl::Status TakeOut(Session& session, const CellSums& sums);
absl::Status PutIn(Session& session, const CellSums& sums);

// Rebuilds the cells of a machine from its observations and the sums of old ones. Cost: all its
// rows; memory: all its cells.
absl::Status RebuildCells(Session& session, int64_t machine_id);

// The cells of a machine in the order in which their scenarios came, at most `limit`.
absl::StatusOr<std::vector<CellRecord>> ReadCells(Session& session, absl::string_view machine,
                                                  int64_t limit);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_CELL_ROWS_H_
