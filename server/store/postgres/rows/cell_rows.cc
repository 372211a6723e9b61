#include "store/postgres/rows/cell_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/principal_name.h"
#include "store/postgres/retention/old_sums.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/scenario_columns.h"

namespace cox::store::postgres {
namespace {

// Sums as arrays of their columns.
struct CellColumns {
  std::vector<int64_t> scenario_ids;
  std::vector<int64_t> kinds;
  std::vector<int64_t> epochs;
  std::vector<int64_t> counts;
  std::vector<int64_t> weights;
  std::vector<int64_t> reporter_sums;
  std::vector<int64_t> reporter_square_sums;
  std::vector<std::string> bins;

  void AddKey(const CellKey& key) {
    scenario_ids.push_back(key.scenario_id);
    kinds.push_back(static_cast<int64_t>(key.kind));
    epochs.push_back(key.epoch);
  }
  void Add(const CellKey& key, const Cell& cell) {
    AddKey(key);
    counts.push_back(cell.observation_count);
    weights.push_back(cell.weight);
    reporter_sums.push_back(cell.reporter_sum);
    reporter_square_sums.push_back(cell.reporter_square_sum);
    bins.push_back(EncodeBins(cell.bins));
  }
  Query& BindKeysTo(Query& query) const {
    return query.BindAll(scenario_ids).BindAll(kinds).BindAll(epochs);
  }
  Query& BindTo(Query& query) const {
    BindKeysTo(query).BindAll(counts).BindAll(weights).BindAllBytes(bins);
    return query.BindAll(reporter_sums).BindAll(reporter_square_sums);
  }
};

constexpr const char* kKeys =
    " unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS k (scenario_id, kind, epoch) ";

// The columns of a cell, or of a part of it, of row `c`.
constexpr const char* kPartColumns =
    "c.scenario_id, c.kind, c.epoch, c.observation_count, c.weight, c.bins, c.reporter_sum,"
    " c.reporter_square_sum";
constexpr int kPartColumnCount = 8;

CellKey KeyOf(const Query& query) {
  return {query.Int(0), static_cast<domain::CellKind>(query.Int(1)), query.Int(2)};
}

absl::StatusOr<Cell> CellOf(const Query& query) {
  absl::StatusOr<std::vector<CellBin>> bins = DecodeBins(query.Bytes(5));
  if (!bins.ok()) return bins.status();
  return Cell{.observation_count = query.Int(3),
              .weight = query.Int(4),
              .bins = *std::move(bins),
              .reporter_sum = query.Int(6),
              .reporter_square_sum = query.Int(7)};
}

// Adds the rows of `query` (kPartColumns) to `sums`.
absl::Status AddCells(Query& query, CellSums& sums) {
  while (query.Next()) {
    const absl::StatusOr<Cell> part = CellOf(query);
    if (!part.ok()) return part.status();
    Add(*part, sums[KeyOf(query)]);
  }
  return query.status();
}

// The stored cells of the keys; those without a row are empty.
absl::StatusOr<CellSums> FindCells(Session& session, const CellSums& of) {
  CellColumns keys;
  CellSums found;
  for (const auto& [key, part] : of) {
    keys.AddKey(key);
    found[key];
  }
  Query query(session, absl::StrCat("SELECT ", kPartColumns, " FROM", kKeys,
                                    "JOIN cell c USING (scenario_id, kind, epoch)"));
  absl::Status status = AddCells(keys.BindKeysTo(query), found);
  if (!status.ok()) return status;
  return found;
}

absl::Status WriteCells(Session& session, const CellSums& cells) {
  CellColumns kept;
  CellColumns empty;
  for (const auto& [key, cell] : cells) {
    if (cell.observation_count > 0) {
      kept.Add(key, cell);
    } else {
      empty.AddKey(key);
    }
  }
  if (!kept.counts.empty()) {
    Query write(session,
                "INSERT INTO cell (scenario_id, kind, epoch, observation_count, weight, bins,"
                " reporter_sum, reporter_square_sum)"
                " SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],"
                " $5::bigint[], $6::bytea[], $7::bigint[], $8::bigint[])"
                " ON CONFLICT (scenario_id, kind, epoch) DO UPDATE SET"
                " observation_count = excluded.observation_count, weight = excluded.weight,"
                " bins = excluded.bins, reporter_sum = excluded.reporter_sum,"
                " reporter_square_sum = excluded.reporter_square_sum");
    if (absl::Status status = kept.BindTo(write).Run(); !status.ok()) return status;
  }
  if (empty.epochs.empty()) return absl::OkStatus();
  Query remove(session, absl::StrCat("DELETE FROM cell c USING", kKeys,
                                     "WHERE c.scenario_id = k.scenario_id AND c.kind = k.kind"
                                     " AND c.epoch = k.epoch"));
  return empty.BindKeysTo(remove).Run();
}

absl::Status Change(Session& session, const CellSums& sums, void (*change)(const Cell&, Cell&)) {
  if (sums.empty()) return absl::OkStatus();
  absl::StatusOr<CellSums> cells = FindCells(session, sums);
  if (!cells.ok()) return cells.status();
  for (const auto& [key, part] : sums) change(part, (*cells)[key]);
  return WriteCells(session, *cells);
}

}  // namespace

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

absl::Status NoteCellChange(Session& session, const CellSums& sums) {
  if (sums.empty()) return absl::OkStatus();
  CellColumns columns;
  for (const auto& [key, sum] : sums) columns.Add(key, sum);
  Query note(session,
             "INSERT INTO cell_change (scenario_ids, kinds, epochs, observation_counts, weights,"
             " bins, reporter_sums, reporter_square_sums) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");
  return columns.BindTo(note).Run();
}

absl::Status MakeCellChanges(Session& session) {
  CellSums sums;
  Query take(
      session,
      absl::StrCat("WITH taken AS (DELETE FROM cell_change RETURNING *) SELECT ", kPartColumns,
                   " FROM taken t, unnest(t.scenario_ids, t.kinds, t.epochs,"
                   " t.observation_counts, t.weights, t.bins, t.reporter_sums,"
                   " t.reporter_square_sums) AS c (scenario_id, kind, epoch, observation_count,"
                   " weight, bins, reporter_sum, reporter_square_sum)"
                   // A coxd of before noted sums of scenarios that a failover had lost.
                   " JOIN scenario USING (scenario_id)"));
  if (absl::Status status = AddCells(take, sums); !status.ok()) return status;
  return PutIn(session, sums);
}

absl::Status TakeOut(Session& session, const CellSums& sums) {
  // What is taken out may be in a change.
  absl::Status status = sums.empty() ? absl::OkStatus() : MakeCellChanges(session);
  return status.ok() ? Change(session, sums, Remove) : status;
}

absl::Status PutIn(Session& session, const CellSums& sums) { return Change(session, sums, Add); }

absl::Status RebuildCells(Session& session, int64_t machine_id) {
  if (absl::Status status = MakeCellChanges(session); !status.ok()) return status;
  Query clear(session,
              "DELETE FROM cell WHERE scenario_id IN"
              " (SELECT scenario_id FROM scenario WHERE machine_id = $1)");
  if (absl::Status status = clear.Bind(machine_id).Run(); !status.ok()) return status;
  CellSums sums;
  {
    Query rows(session, absl::StrCat("SELECT ", TimingColumns(),
                                     " FROM observation o JOIN scenario s USING (scenario_id) ",
                                     kBatchOfRow, " WHERE o.machine_id = $1"));
    if (absl::Status status = SumUp(rows.Bind(machine_id).Stream(), sums); !status.ok()) {
      return status;
    }
  }
  absl::Status old = AddOldSums(session, "machine_id = $1", machine_id, sums);
  if (!old.ok()) return old;
  return PutIn(session, sums);
}

absl::StatusOr<std::vector<CellRecord>> ReadCells(Session& session, absl::string_view machine,
                                                  int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(session, absl::StrCat("SELECT ", kPartColumns, ", ", kScenarioColumns,
                                    " FROM scenario s JOIN cell_part c USING (scenario_id)"
                                    " WHERE s.machine_id = $1 ORDER BY s.scenario_id"));
  query.Bind(*machine_id).Stream();
  std::vector<CellRecord> cells;
  absl::flat_hash_map<CellKey, size_t> places;
  while (query.Next()) {
    absl::StatusOr<Cell> part = CellOf(query);
    if (!part.ok()) return part.status();
    const CellKey key = KeyOf(query);
    const auto known = places.find(key);
    if (known == places.end()) {
      // Parts of the cells before may still come.
      if (static_cast<int64_t>(cells.size()) == limit) continue;
      places[key] = cells.size();
      cells.push_back({.scenario = ScenarioOf(query, kPartColumnCount, std::string(machine)),
                       .kind = key.kind,
                       .epoch = key.epoch,
                       .cell = *std::move(part)});
    } else {
      Add(*part, cells[known->second].cell);
    }
  }
  if (!query.status().ok()) return query.status();
  return cells;
}

}  // namespace cox::store::postgres
