#include "store/postgres/retention/old_sums.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/principal_name.h"
#include "store/day_sum.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/report_counts.h"

namespace cox::store::postgres {
namespace {

// The epoch of a sum: the number of drifts of its scenario until its first observation.
std::string EpochOfSum() {
  return absl::StrCat("(SELECT count(*) FROM drift d WHERE ", kDriftIsAbout,
                      " AND d.first_id <= b.first_id)");
}

// scenario_id, kind, epoch and source, and then the columns of the sum.
std::string Sums(absl::string_view condition) {
  return absl::StrCat("SELECT b.scenario_id, b.kind, ", EpochOfSum(), ", ", kSourceOf, ", ",
                      kSumColumns, " FROM old_sum b JOIN scenario s USING (scenario_id) WHERE ",
                      condition);
}

absl::Status AddAll(Query& query, CellSums& sums) {
  while (query.Next()) {
    const CellKey key{query.Int(0), static_cast<domain::CellKind>(query.Int(1)), query.Int(2)};
    absl::StatusOr<DaySum> sum = DaySumOf(query, 4);
    if (!sum.ok()) return sum.status();
    SetReporter(domain::ReporterNumber(query.Bytes(3)), sum->cell);
    Add(sum->cell, sums[key]);
  }
  return query.status();
}

absl::StatusOr<OldRowSums> FindOld(Session& session, int64_t machine_id, const SumUpPlan& plan,
                                   int64_t limit) {
  Query rows(session,
             absl::StrCat("SELECT o.observation_id, o.scenario_id, o.time_s, o.timing_count,"
                          " o.at_us, b.job_id, coalesce(b.source_id, 0), b.kind,"
                          " (SELECT count(*) FROM drift d WHERE ",
                          kDriftIsAbout,
                          " AND d.first_id <= o.observation_id) FROM"
                          " (SELECT * FROM observation WHERE machine_id = $1"
                          "   AND observation_id <= $2 AND observation_id > $4"
                          "   ORDER BY observation_id LIMIT $3) o"
                          " JOIN scenario s USING (scenario_id) ",
                          kBatchOfRow, " ORDER BY o.observation_id"));
  rows.Bind(machine_id).Bind(plan.rows.through_id).Bind(limit).Bind(plan.rows.after_id);
  return TakeOldRows(rows, plan, limit);
}

// Adds to each sum the last stored one of its key, unless a drift lies between. Returns the
// first_id of those that were added.
absl::StatusOr<std::vector<int64_t>> AddStored(Session& session, std::map<DayKey, DaySum>& sums) {
  std::vector<DaySum*> of;
  std::vector<int64_t> columns[6];
  for (auto& [key, sum] : sums) {
    of.push_back(&sum);
    const int64_t values[] = {key.scenario_id, key.job_id, key.source_id,
                              key.kind,        key.day,    key.epoch};
    for (size_t i = 0; i < std::size(values); ++i) columns[i].push_back(values[i]);
  }
  Query query(session,
              absl::StrCat("SELECT k.number, ", kSumColumns,
                           " FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],"
                           "  $5::bigint[], $6::bigint[]) WITH ORDINALITY"
                           "  AS k (scenario_id, job_id, source_id, kind, day, epoch, number)"
                           " CROSS JOIN LATERAL (SELECT * FROM old_sum q"
                           "  WHERE q.scenario_id = k.scenario_id AND q.day = k.day"
                           "  AND q.job_id = k.job_id AND q.source_id = k.source_id"
                           "  AND q.kind = k.kind ORDER BY q.first_id DESC LIMIT 1) b"
                           " JOIN scenario s ON s.scenario_id = b.scenario_id WHERE k.epoch = ",
                           EpochOfSum()));
  for (const std::vector<int64_t>& column : columns) query.BindAll(column);
  std::vector<int64_t> added;
  while (query.Next()) {
    const absl::StatusOr<DaySum> stored = DaySumOf(query, 1);
    if (!stored.ok()) return stored.status();
    Extend(*stored, *of[static_cast<size_t>(query.Int(0) - 1)]);
    added.push_back(stored->first_id);
  }
  if (!query.status().ok()) return query.status();
  return added;
}

absl::Status Insert(Session& session, int64_t machine_id, const std::map<DayKey, DaySum>& sums) {
  constexpr size_t kWhole = 12;
  std::vector<int64_t> columns[kWhole];
  std::vector<std::string> bins;
  std::vector<double> totals_s;
  for (const auto& [key, sum] : sums) {
    const int64_t values[kWhole] = {
        sum.first_id,    sum.last_id,     key.scenario_id, key.job_id,  key.source_id,
        key.kind,        key.day,         sum.first_us,    sum.last_us, sum.cell.observation_count,
        sum.cell.weight, sum.timing_count};
    for (size_t i = 0; i < kWhole; ++i) columns[i].push_back(values[i]);
    bins.push_back(EncodeBins(sum.cell.bins));
    totals_s.push_back(sum.total_time_s);
  }
  std::string parameters;
  for (size_t i = 1; i <= kWhole; ++i) absl::StrAppend(&parameters, "$", i, "::bigint[], ");
  Query insert(session,
               absl::StrCat("INSERT INTO old_sum (machine_id, first_id, last_id, scenario_id,"
                            " job_id, source_id, kind, day, first_us, last_us, observation_count,"
                            " weight, timing_count, bins, total_time_s) SELECT $15, * FROM unnest(",
                            parameters, "$13::bytea[], $14::double precision[])"));
  for (const std::vector<int64_t>& column : columns) insert.BindAll(column);
  return insert.BindAllBytes(bins).BindAll(totals_s).Bind(machine_id).Run();
}

absl::Status RunWith(Session& session, absl::string_view sql, const std::vector<int64_t>& ids) {
  return Query(session, sql).BindAll(ids).Run();
}

// Stores the sums, each added to the stored one of its key, if there is one.
absl::Status Write(Session& session, int64_t machine_id, std::map<DayKey, DaySum>& sums) {
  const absl::StatusOr<std::vector<int64_t>> replaced = AddStored(session, sums);
  if (!replaced.ok()) return replaced.status();
  absl::Status status =
      RunWith(session, "DELETE FROM old_sum WHERE first_id = ANY ($1)", *replaced);
  return status.ok() ? Insert(session, machine_id, sums) : status;
}

// How many rows the machine has beyond `most_rows`; 0 if that is 0. Cost: the machine's reporters.
absl::StatusOr<int64_t> CountExcessRows(Session& session, int64_t machine_id, int64_t most_rows) {
  if (most_rows == 0) return 0;
  const absl::StatusOr<ObservationCount> reported =
      SumReports(session, std::nullopt, std::nullopt, machine_id);
  if (!reported.ok()) return reported.status();
  const absl::StatusOr<int64_t> summed_count =
      Query(session, "SELECT summed_count FROM machine WHERE machine_id = $1")
          .Bind(machine_id)
          .Number();
  if (!summed_count.ok()) return summed_count.status();
  return std::max<int64_t>(0, reported->observation_count - *summed_count - most_rows);
}

}  // namespace

absl::StatusOr<SumUpPlan> PlanSumUp(Session& session, absl::string_view machine,
                                    const OldRows& old) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  const absl::StatusOr<int64_t> excess_count =
      old.after_id == 0 ? CountExcessRows(session, *machine_id, old.most_rows) : 0;
  if (!excess_count.ok()) return excess_count.status();
  return PlanStep<Query>(session, *machine_id, old, *excess_count, kOldRowsLook);
}

absl::StatusOr<SummedUp> SumUpOldRows(Session& session, absl::string_view machine,
                                      const SumUpPlan& plan, int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  absl::StatusOr<OldRowSums> found = FindOld(session, *machine_id, plan, limit);
  if (!found.ok()) return found.status();
  SummedUp summed{.through_id = found->through_id, .has_more = found->has_more};
  if (found->ids.empty()) return summed;
  absl::Status status = Write(session, *machine_id, found->sums);
  if (status.ok()) {
    status =
        RunWith(session, "DELETE FROM observation WHERE observation_id = ANY ($1)", found->ids);
  }
  if (!status.ok()) return status;
  summed.observation_count = static_cast<int64_t>(found->ids.size());
  Query update(session,
               "UPDATE machine SET summed_count = summed_count + $1 WHERE machine_id = $2");
  status = update.Bind(summed.observation_count).Bind(*machine_id).Run();
  // A drift that is being summed up elsewhere would miss or repeat these rows.
  if (status.ok()) status = NoteRewrite(session);
  if (!status.ok()) return status;
  return summed;
}

absl::Status MoveOldSums(Session& session, int64_t from, int64_t to) {
  std::map<int64_t, std::map<DayKey, DaySum>> by_machine;
  {
    Query query(session, absl::StrCat("SELECT ", kSumColumns,
                                      ", b.machine_id, b.scenario_id, b.source_id, b.kind, b.day, ",
                                      EpochOfSum(),
                                      " FROM old_sum b JOIN scenario s USING (scenario_id)"
                                      " WHERE b.job_id = $1"));
    query.Bind(from);
    while (query.Next()) {
      absl::StatusOr<DaySum> sum = DaySumOf(query, 0);
      if (!sum.ok()) return sum.status();
      const DayKey key = {.scenario_id = query.Int(kSumColumnCount + 1),
                          .job_id = to,
                          .source_id = query.Int(kSumColumnCount + 2),
                          .kind = query.Int(kSumColumnCount + 3),
                          .day = query.Int(kSumColumnCount + 4),
                          .epoch = query.Int(kSumColumnCount + 5)};
      const auto [it, is_new] = by_machine[query.Int(kSumColumnCount)].try_emplace(key, *sum);
      if (!is_new) Extend(*sum, it->second);
    }
    if (!query.status().ok()) return query.status();
  }
  absl::Status status = Query(session, "DELETE FROM old_sum WHERE job_id = $1").Bind(from).Run();
  for (auto& [machine_id, sums] : by_machine) {
    if (status.ok()) status = Write(session, machine_id, sums);
  }
  return status;
}

absl::StatusOr<int64_t> CountOldSums(Session& session, absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  return Query(session, "SELECT count(*) FROM old_sum WHERE machine_id = $1")
      .Bind(*machine_id)
      .Number();
}

absl::Status AddOldSums(Session& session, const std::string& whose, int64_t id, CellSums& sums) {
  Query query(session, Sums(absl::StrCat("b.", whose)));
  return AddAll(query.Bind(id).Stream(), sums);
}

absl::Status AddOldSumsSince(Session& session, int64_t machine_id, const domain::Drift& drift,
                             CellSums& sums) {
  const domain::DriftScope& scope = drift.scope;
  Query query(session, Sums("b.machine_id = $1 AND b.first_id >= $2 AND $3 IN ('', s.library)"
                            " AND $4 IN ('', s.collective)"
                            " AND $5 = CASE WHEN s.nodes > 1 THEN 'network' ELSE 'node' END"
                            " AND s.block_bytes BETWEEN $6 AND $7"));
  query.Bind(machine_id).Bind(drift.first_id).Bind(absl::string_view(scope.library));
  query.Bind(absl::string_view(scope.collective));
  query.Bind(absl::string_view(domain::LevelName(scope.level)));
  query.Bind(scope.min_block_bytes).Bind(scope.max_block_bytes).Stream();
  return AddAll(query, sums);
}

absl::StatusOr<int64_t> RemoveOldSums(Session& session, const std::string& whose, int64_t id) {
  absl::StatusOr<int64_t> removed_count =
      Query(session, absl::StrCat("SELECT coalesce(sum(observation_count), 0)::bigint FROM old_sum"
                                  " WHERE ",
                                  whose))
          .Bind(id)
          .Number();
  if (!removed_count.ok() || *removed_count == 0) return removed_count;
  Query machines(session,
                 absl::StrCat("UPDATE machine SET summed_count = summed_count - d.summed FROM"
                              " (SELECT machine_id AS id, sum(observation_count)::bigint AS summed"
                              " FROM old_sum WHERE ",
                              whose, " GROUP BY machine_id) d WHERE machine_id = d.id"));
  if (absl::Status status = machines.Bind(id).Run(); !status.ok()) return status;
  Query remove(session, absl::StrCat("DELETE FROM old_sum WHERE ", whose));
  if (absl::Status status = remove.Bind(id).Run(); !status.ok()) return status;
  return removed_count;
}

absl::StatusOr<bool> RemoveSomeOldSums(Session& session, int64_t machine_id, int64_t limit) {
  Query remove(session,
               "DELETE FROM old_sum WHERE first_id IN (SELECT first_id FROM old_sum"
               " WHERE machine_id = $1 LIMIT $2)");
  if (absl::Status status = remove.Bind(machine_id).Bind(limit).Run(); !status.ok()) return status;
  return remove.ChangedRowCount() > 0;
}

}  // namespace cox::store::postgres
