#include "store/sqlite/cell_table.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "domain/principal_name.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/report_count.h"
#include "store/sqlite/retention/old_sums.h"
#include "store/sqlite/scenario_columns.h"

namespace cox::store {
namespace {

// Columns from `column` on: observation_count, weight, reporter_sum, reporter_square_sum, bins.
absl::StatusOr<Cell> CellOf(const Query& query, int column) {
  absl::StatusOr<std::vector<CellBin>> bins = DecodeBins(query.Bytes(column + 4));
  if (!bins.ok()) return bins.status();
  return Cell{.observation_count = query.Int(column),
              .weight = query.Int(column + 1),
              .bins = *std::move(bins),
              .reporter_sum = query.Int(column + 2),
              .reporter_square_sum = query.Int(column + 3)};
}

absl::Status Change(Database& db, const CellSums& sums, void (*change)(const Cell&, Cell&)) {
  for (const auto& [key, part] : sums) {
    absl::StatusOr<StoredCell> stored = FindCell(db, key);
    if (!stored.ok()) return stored.status();
    change(part, stored->cell);
    if (absl::Status status = WriteCell(db, key, *stored); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> CurrentEpoch(Database& db, int64_t scenario_id) {
  Query query(db, absl::StrCat("SELECT count(*) FROM scenario s CROSS JOIN drift d ON ",
                               kDriftIsAbout, " WHERE s.scenario_id = ?"));
  query.Bind(scenario_id);
  const int64_t epoch = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return epoch;
}

absl::StatusOr<StoredCell> FindCell(Database& db, const CellKey& key) {
  Query query(db,
              "SELECT cell_id, observation_count, weight, reporter_sum, reporter_square_sum, bins"
              " FROM cell WHERE scenario_id = ? AND kind = ? AND epoch = ?");
  query.Bind(key.scenario_id).Bind(static_cast<int64_t>(key.kind)).Bind(key.epoch);
  StoredCell stored;
  if (query.Next()) {
    absl::StatusOr<Cell> cell = CellOf(query, 1);
    if (!cell.ok()) return cell.status();
    stored = {query.Int(0), *std::move(cell)};
  }
  if (!query.status().ok()) return query.status();
  return stored;
}

absl::Status WriteCell(Database& db, const CellKey& key, StoredCell& stored) {
  const Cell& cell = stored.cell;
  if (cell.observation_count <= 0) {
    Query remove(db, "DELETE FROM cell WHERE cell_id = ?");
    remove.Bind(std::exchange(stored.cell_id, 0));
    return remove.Run();
  }
  const std::string bins = EncodeBins(cell.bins);
  if (stored.cell_id != 0) {
    Query update(db,
                 "UPDATE cell SET observation_count = ?, weight = ?, reporter_sum = ?,"
                 " reporter_square_sum = ?, bins = ? WHERE cell_id = ?");
    update.Bind(cell.observation_count).Bind(cell.weight).Bind(cell.reporter_sum);
    update.Bind(cell.reporter_square_sum).BindBytes(bins).Bind(stored.cell_id);
    return update.Run();
  }
  Query insert(db,
               "INSERT INTO cell (scenario_id, kind, epoch, observation_count, weight,"
               " reporter_sum, reporter_square_sum, bins) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.Bind(key.scenario_id).Bind(static_cast<int64_t>(key.kind)).Bind(key.epoch);
  insert.Bind(cell.observation_count).Bind(cell.weight).Bind(cell.reporter_sum);
  insert.Bind(cell.reporter_square_sum).BindBytes(bins);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  stored.cell_id = db.LastInsertId();
  return absl::OkStatus();
}

std::string TimingColumns() {
  return absl::StrCat("s.scenario_id, b.kind, (SELECT count(*) FROM drift d WHERE ", kDriftIsAbout,
                      " AND d.first_id <= o.observation_id), o.time_s, o.timing_count, ",
                      kSourceOf);
}

absl::Status SumUp(Query& query, CellSums& sums) {
  while (query.Next()) {
    const CellKey key{query.Int(0), static_cast<domain::CellKind>(query.Int(1)), query.Int(2)};
    AddTiming(query.Real(3), query.Int(4), domain::ReporterNumber(query.Bytes(5)), sums[key]);
  }
  return query.status();
}

absl::Status TakeOut(Database& db, const CellSums& sums) { return Change(db, sums, Remove); }

absl::Status PutIn(Database& db, const CellSums& sums) { return Change(db, sums, Add); }

absl::Status RebuildCells(Database& db, std::optional<int64_t> machine_id) {
  const std::string of_machine =
      machine_id ? " WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE machine_id = ?)"
                 : "";
  Query clear(db, absl::StrCat("DELETE FROM cell", of_machine));
  if (machine_id) clear.Bind(*machine_id);
  if (absl::Status status = clear.Run(); !status.ok()) return status;
  CellSums sums;
  {
    Query rows(db, absl::StrCat("SELECT ", TimingColumns(),
                                " FROM observation o CROSS JOIN scenario s USING (scenario_id)",
                                kBatchOfRow, machine_id ? " WHERE o.machine_id = ?" : ""));
    if (machine_id) rows.Bind(*machine_id);
    if (absl::Status status = SumUp(rows, sums); !status.ok()) return status;
  }
  const OldSumsOf which = {machine_id ? "machine_id" : nullptr, machine_id.value_or(0)};
  if (absl::Status status = AddOldSums(db, which, sums); !status.ok()) return status;
  return PutIn(db, sums);
}

absl::Status RebuildStaleCells(Database& db) {
  bool stale = false;
  {
    Query query(db, "SELECT cells_are_stale FROM next_id");
    stale = query.Next() && query.Int(0) != 0;
    if (!query.status().ok()) return query.status();
  }
  if (!stale) return absl::OkStatus();
  absl::Status status = db.Execute("BEGIN IMMEDIATE");
  if (status.ok()) status = RebuildCells(db, std::nullopt);
  if (status.ok()) status = RebuildReportCounts(db);
  if (status.ok()) status = db.Execute("UPDATE next_id SET cells_are_stale = 0; COMMIT");
  if (!status.ok() && db.InTransaction()) db.Execute("ROLLBACK").IgnoreError();
  return status;
}

absl::StatusOr<std::vector<CellRecord>> ReadCells(Database& db, absl::string_view machine,
                                                  int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db, absl::StrCat("SELECT ", kScenarioColumns,
                               ", c.kind, c.epoch, c.observation_count, c.weight,"
                               " c.reporter_sum, c.reporter_square_sum, c.bins FROM scenario s "
                               "CROSS JOIN cell c USING (scenario_id)"
                               " WHERE s.machine_id = ? ORDER BY s.scenario_id LIMIT ?"));
  query.Bind(*machine_id).Bind(limit);
  std::vector<CellRecord> cells;
  const std::string name(machine.data(), machine.size());
  constexpr int kFirst = kScenarioColumnCount;
  while (query.Next()) {
    absl::StatusOr<Cell> cell = CellOf(query, kFirst + 2);
    if (!cell.ok()) return cell.status();
    cells.push_back({.scenario = ScenarioOf(query, 0, name),
                     .kind = static_cast<domain::CellKind>(query.Int(kFirst)),
                     .epoch = query.Int(kFirst + 1),
                     .cell = *std::move(cell)});
  }
  if (!query.status().ok()) return query.status();
  return cells;
}

}  // namespace cox::store
