#include "store/sqlite/retention/old_sums.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/principal_name.h"
#include "store/day_sum.h"
#include "store/limits.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/report_count.h"
#include "store/sqlite/views/whole_job.h"

namespace cox::store {
namespace {

// The sums, each with its epoch: the number of drifts of its scenario until its first observation.
std::string Sums(absl::string_view condition) {
  return absl::StrCat(
      "SELECT b.scenario_id, b.kind, (SELECT count(*) FROM drift d WHERE ", kDriftIsAbout,
      " AND d.first_id <= b.first_id), b.observation_count, b.weight, b.bins, ", kSourceOf,
      " FROM old_sum b CROSS JOIN scenario s USING (scenario_id) WHERE ", condition);
}

absl::Status AddAll(Query& query, CellSums& sums) {
  while (query.Next()) {
    const CellKey key{query.Int(0), static_cast<domain::CellKind>(query.Int(1)), query.Int(2)};
    absl::StatusOr<std::vector<CellBin>> bins = DecodeBins(query.Bytes(5));
    if (!bins.ok()) return bins.status();
    Cell cell{query.Int(3), query.Int(4), *std::move(bins)};
    SetReporter(domain::ReporterNumber(query.Bytes(6)), cell);
    Add(cell, sums[key]);
  }
  return query.status();
}

absl::StatusOr<OldRowSums> FindOld(Database& db, int64_t machine_id, const SumUpPlan& plan,
                                   int64_t limit) {
  Query rows(db, absl::StrCat("SELECT o.observation_id, o.scenario_id, o.time_s, o.timing_count,"
                              " o.at_us, b.job_id, coalesce(b.source_id, 0), b.kind,"
                              " (SELECT count(*) FROM drift d WHERE ",
                              kDriftIsAbout,
                              " AND d.first_id <= o.observation_id) FROM observation o"
                              " CROSS JOIN scenario s USING (scenario_id)",
                              kBatchOfRow,
                              " WHERE o.machine_id = ?1 AND o.observation_id <= ?2"
                              " AND o.observation_id > ?4"
                              " ORDER BY o.observation_id LIMIT ?3"));
  rows.Bind(machine_id).Bind(plan.rows.through_id).Bind(limit).Bind(plan.rows.after_id);
  return TakeOldRows(rows, plan, limit);
}

// The id of the last stored sum of this key, added to `sum`; 0: there is none, or a drift lies
// between.
absl::StatusOr<int64_t> AddStored(Database& db, const DayKey& key, DaySum& sum) {
  Query query(db, absl::StrCat("SELECT b.old_sum_id, b.first_id, b.last_id, b.first_us, b.last_us,"
                               " b.timing_count, b.total_time_s, b.observation_count, b.weight,"
                               " b.bins, (SELECT count(*) FROM drift d WHERE ",
                               kDriftIsAbout,
                               " AND d.first_id <= b.first_id) FROM old_sum b CROSS JOIN scenario s"
                               " USING (scenario_id) WHERE b.scenario_id = ?"
                               " AND b.day = ? AND b.job_id = ? AND b.source_id = ?"
                               " AND b.kind = ? ORDER BY b.first_id DESC LIMIT 1"));
  query.Bind(key.scenario_id).Bind(key.day).Bind(key.job_id);
  query.Bind(key.source_id).Bind(key.kind);
  if (!query.Next() || query.Int(10) != key.epoch) {
    if (!query.status().ok()) return query.status();
    return 0;
  }
  const absl::StatusOr<DaySum> stored = DaySumOf(query, 1);
  if (!stored.ok()) return stored.status();
  Extend(*stored, sum);
  return query.Int(0);
}

// `own_id`: the id that the sum has had so far; 0: none. The one to which it is added keeps its
// own: the order of ids is that of time.
absl::Status Write(Database& db, int64_t machine_id, const DayKey& key, DaySum sum,
                   int64_t own_id = 0) {
  absl::StatusOr<int64_t> id = AddStored(db, key, sum);
  if (!id.ok()) return id.status();
  if (*id == 0) id = own_id;
  const std::string bins = EncodeBins(sum.cell.bins);
  // A NULL id is a new one.
  Query write(db,
              "INSERT OR REPLACE INTO old_sum VALUES"
              " (nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  write.Bind(*id).Bind(machine_id).Bind(key.scenario_id).Bind(key.job_id).Bind(key.source_id);
  write.Bind(key.kind).Bind(key.day).Bind(sum.first_id).Bind(sum.last_id);
  write.Bind(sum.first_us).Bind(sum.last_us).Bind(sum.cell.observation_count);
  write.Bind(sum.cell.weight).BindBytes(bins).Bind(sum.timing_count).Bind(sum.total_time_s);
  return write.Run();
}

absl::Status AddSummedCount(Database& db, int64_t machine_id, int64_t count) {
  Query update(db, "UPDATE machine SET summed_count = summed_count + ? WHERE machine_id = ?");
  update.Bind(count).Bind(machine_id);
  return update.Run();
}

std::string Condition(const OldSumsOf& which) {
  return which.column == nullptr ? "true" : absl::StrCat("b.", which.column, " = ?1");
}

// How many rows the machine has beyond `most_rows`; 0 if that is 0. Cost: the machine's reporters.
absl::StatusOr<int64_t> CountExcessRows(Database& db, int64_t machine_id, int64_t most_rows) {
  if (most_rows == 0) return 0;
  const absl::StatusOr<ObservationCount> reported =
      SumReports(db, std::nullopt, std::nullopt, machine_id);
  if (!reported.ok()) return reported.status();
  Query query(db, "SELECT summed_count FROM machine WHERE machine_id = ?");
  query.Bind(machine_id);
  const int64_t summed_count = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return std::max<int64_t>(0, reported->observation_count - summed_count - most_rows);
}

}  // namespace

absl::StatusOr<SumUpPlan> PlanSumUp(Database& db, absl::string_view machine, const OldRows& old) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  const absl::StatusOr<int64_t> excess_count =
      old.after_id == 0 ? CountExcessRows(db, *machine_id, old.most_rows) : 0;
  if (!excess_count.ok()) return excess_count.status();
  return PlanStep<Query>(db, *machine_id, old, *excess_count, kOldRowsLook);
}

absl::StatusOr<SummedUp> SumUpOldRows(Database& db, absl::string_view machine,
                                      const SumUpPlan& plan, int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  const absl::StatusOr<OldRowSums> found = FindOld(db, *machine_id, plan, limit);
  if (!found.ok()) return found.status();
  SummedUp summed{.through_id = found->through_id, .has_more = found->has_more};
  if (found->ids.empty()) return summed;
  for (const auto& [key, sum] : found->sums) {
    if (absl::Status status = Write(db, *machine_id, key, sum); !status.ok()) return status;
  }
  for (const int64_t id : found->ids) {
    Query remove(db, "DELETE FROM observation WHERE observation_id = ?");
    remove.Bind(id);
    if (absl::Status status = remove.Run(); !status.ok()) return status;
  }
  summed.observation_count = static_cast<int64_t>(found->ids.size());
  absl::Status counted = AddSummedCount(db, *machine_id, summed.observation_count);
  if (!counted.ok()) return counted;
  return summed;
}

absl::Status MoveOldSums(Database& db, int64_t from, int64_t to) {
  struct Moved {
    int64_t id;
    int64_t machine_id;
    DayKey key;
    DaySum sum;
  };
  std::vector<Moved> all;
  {
    Query query(db, absl::StrCat("SELECT b.first_id, b.last_id, b.first_us, b.last_us,"
                                 " b.timing_count, b.total_time_s, b.observation_count, b.weight,"
                                 " b.bins, b.old_sum_id, b.machine_id, b.scenario_id, b.source_id,"
                                 " b.kind, b.day, (SELECT count(*) FROM drift d WHERE ",
                                 kDriftIsAbout,
                                 " AND d.first_id <= b.first_id) FROM old_sum b"
                                 " CROSS JOIN scenario s USING (scenario_id) WHERE b.job_id = ?"
                                 " ORDER BY b.old_sum_id"));
    query.Bind(from);
    while (query.Next()) {
      absl::StatusOr<DaySum> sum = DaySumOf(query, 0);
      if (!sum.ok()) return sum.status();
      all.push_back({.id = query.Int(9),
                     .machine_id = query.Int(10),
                     .key = {.scenario_id = query.Int(11),
                             .job_id = to,
                             .source_id = query.Int(12),
                             .kind = query.Int(13),
                             .day = query.Int(14),
                             .epoch = query.Int(15)},
                     .sum = *std::move(sum)});
    }
    if (!query.status().ok()) return query.status();
  }
  Query remove(db, "DELETE FROM old_sum WHERE job_id = ?");
  remove.Bind(from);
  if (absl::Status status = remove.Run(); !status.ok()) return status;
  for (Moved& moved : all) {
    absl::Status written = Write(db, moved.machine_id, moved.key, std::move(moved.sum), moved.id);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CountOldSums(Database& db, absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db, "SELECT count(*) FROM old_sum WHERE machine_id = ?");
  query.Bind(*machine_id);
  return query.Number();
}

absl::Status AddOldSums(Database& db, const OldSumsOf& which, CellSums& sums) {
  Query query(db, Sums(Condition(which)));
  if (which.column != nullptr) query.Bind(which.id);
  return AddAll(query, sums);
}

absl::Status AddOldSumsSince(Database& db, int64_t machine_id, const domain::Drift& drift,
                             CellSums& sums) {
  const domain::DriftScope& scope = drift.scope;
  Query query(db, Sums("b.machine_id = ?1 AND b.first_id >= ?2 AND ?3 IN ('', s.library)"
                       " AND ?4 IN ('', s.collective)"
                       " AND ?5 = CASE WHEN s.nodes > 1 THEN 'network' ELSE 'node' END"
                       " AND s.block_bytes BETWEEN ?6 AND ?7"));
  query.Bind(machine_id).Bind(drift.first_id).Bind(absl::string_view(scope.library));
  query.Bind(absl::string_view(scope.collective)).Bind(domain::LevelName(scope.level));
  query.Bind(scope.min_block_bytes).Bind(scope.max_block_bytes);
  return AddAll(query, sums);
}

absl::Status AddFirstIds(Database& db, const OldSumsOf& reporter,
                         std::map<int64_t, int64_t>& first_ids) {
  Query query(db, absl::StrCat("SELECT b.machine_id, min(b.first_id) FROM old_sum b WHERE ",
                               Condition(reporter), " GROUP BY b.machine_id"));
  query.Bind(reporter.id);
  while (query.Next()) {
    const auto [it, is_new] = first_ids.try_emplace(query.Int(0), query.Int(1));
    it->second = std::min(it->second, query.Int(1));
  }
  return query.status();
}

absl::StatusOr<int64_t> RemoveOldSums(Database& db, const OldSumsOf& reporter) {
  std::vector<std::pair<int64_t, int64_t>> counts;  // by machine
  {
    Query query(db, absl::StrCat("SELECT b.machine_id, sum(b.observation_count) FROM old_sum b"
                                 " WHERE ",
                                 Condition(reporter), " GROUP BY b.machine_id"));
    query.Bind(reporter.id);
    while (query.Next()) counts.emplace_back(query.Int(0), query.Int(1));
    if (!query.status().ok()) return query.status();
  }
  int64_t removed_count = 0;
  for (const auto& [machine_id, count] : counts) {
    if (absl::Status status = AddSummedCount(db, machine_id, -count); !status.ok()) return status;
    removed_count += count;
  }
  Query remove(db, absl::StrCat("DELETE FROM old_sum WHERE ", reporter.column, " = ?"));
  remove.Bind(reporter.id);
  if (absl::Status status = remove.Run(); !status.ok()) return status;
  return removed_count;
}

absl::StatusOr<bool> RemoveSomeOldSums(Database& db, int64_t machine_id, int64_t limit) {
  Query remove(db,
               "DELETE FROM old_sum WHERE old_sum_id IN (SELECT old_sum_id FROM old_sum"
               " WHERE machine_id = ? LIMIT ?)");
  remove.Bind(machine_id).Bind(limit);
  if (absl::Status status = remove.Run(); !status.ok()) return status;
  return db.ChangedRowCount() > 0;
}

absl::Status ReadOldSums(Database& db, const ObservationFilter& filter,
                         std::optional<int64_t> machine_id,
                         const std::function<bool(const OldSum&)>& take) {
  std::string sql =
      "SELECT scenario_id, first_us, timing_count, total_time_s, observation_count, weight, bins"
      " FROM old_sum WHERE 1";
  if (machine_id) absl::StrAppend(&sql, " AND machine_id = ?");
  if (!filter.job.empty()) {
    absl::StrAppend(&sql, " AND job_id IN (", kPartsOfJob, ")");
  }
  if (!filter.source.empty()) {
    absl::StrAppend(&sql, " AND source_id = (SELECT source_id FROM source WHERE name = ?)");
  }
  Query query(db, absl::StrCat(sql, " ORDER BY old_sum_id DESC"));
  if (machine_id) query.Bind(*machine_id);
  if (!filter.job.empty()) BindPartsOf(filter.job, query);
  if (!filter.source.empty()) query.Bind(absl::string_view(filter.source));
  while (query.Next()) {
    absl::StatusOr<std::vector<CellBin>> bins = DecodeBins(query.Bytes(6));
    if (!bins.ok()) return bins.status();
    const bool goes_on = take({.scenario_id = query.Int(0),
                               .first_us = query.Int(1),
                               .timing_count = query.Int(2),
                               .total_time_s = query.Real(3),
                               .cell = {query.Int(4), query.Int(5), *std::move(bins)}});
    if (!goes_on) break;
  }
  return query.status();
}

}  // namespace cox::store
