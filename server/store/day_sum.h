// Sums of old observations, each of one scenario, reporter and day between two drifts: the
// arithmetic that every engine needs in order to put them in place of rows.
//
// Thread rule: pure, but for the query. Failure rule: cannot fail, but DATA_LOSS for bins that
// nobody can have written.
#ifndef COX_STORE_DAY_SUM_H_
#define COX_STORE_DAY_SUM_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/cell.h"
#include "store/records.h"

namespace cox::store {

// What is summed up together.
struct DayKey {
  int64_t scenario_id = 0;
  int64_t job_id = 0;
  int64_t source_id = 0;  // 0: none
  int64_t kind = 0;
  int64_t day = 0;    // since the Unix epoch, UTC
  int64_t epoch = 0;  // drifts of the scenario until the first observation
  friend auto operator<=>(const DayKey&, const DayKey&) = default;
};

struct DaySum {
  int64_t first_id = 0;
  int64_t last_id = 0;
  int64_t first_us = 0;
  int64_t last_us = 0;
  int64_t timing_count = 0;
  double total_time_s = 0;  // of all timings
  Cell cell{};
};

// Adds the observations of `part` to `whole`.
void Extend(const DaySum& part, DaySum& whole);

// The day that a time lies in, also before 1970.
int64_t DayOf(int64_t at_us);

// Old rows of a machine and their sums.
struct OldRowSums {
  std::map<DayKey, DaySum> sums;
  std::vector<int64_t> ids;  // of the old rows
  int64_t through_id = 0;    // as of SummedUp
  bool has_more = false;     // as of SummedUp
};

// A step as a look at the next rows has planned it.
struct SumUpPlan {
  bool finds_old = false;    // else the step writes nothing, and `passed` is its outcome
  OldRows rows{};            // what to sum up: after_id may be greater than what was asked
  int64_t excess_count = 0;  // of the first rows: they are too many, so they are old
  SummedUp passed{};
};

// Looks for a row that is old by its time, among `limit` rows after old.after_id, unless there are
// excess rows. Not in the write, so that young rows keep no writer busy.
template <typename Query, typename Connection>
absl::StatusOr<SumUpPlan> PlanStep(Connection& connection, int64_t machine_id, const OldRows& old,
                                   int64_t excess_count, int64_t limit) {
  SumUpPlan plan{.rows = old, .excess_count = excess_count};
  plan.finds_old = excess_count > 0;
  if (plan.finds_old) return plan;
  Query look(connection,
             "SELECT coalesce(min(CASE WHEN at_us < $1 THEN observation_id END), 0),"
             " coalesce(max(observation_id), 0), count(*) FROM"
             " (SELECT observation_id, at_us FROM observation WHERE machine_id = $2"
             "  AND observation_id > $3 AND observation_id <= $4"
             "  ORDER BY observation_id LIMIT $5) o");
  look.Bind(old.before_us).Bind(machine_id).Bind(old.after_id).Bind(old.through_id).Bind(limit);
  if (look.Next()) {
    plan.finds_old = look.Int(0) != 0;
    if (plan.finds_old) plan.rows.after_id = look.Int(0) - 1;
    plan.passed = {.through_id = look.Int(1), .has_more = look.Int(2) == limit};
  }
  if (!look.status().ok()) return look.status();
  return plan;
}

// Takes an observation that is old. Its kind and epoch are in `key`, its day is not.
void Take(int64_t id, int64_t at_us, double time_s, int64_t timing_count, DayKey key,
          OldRowSums& found);

// Of the `limit` rows of a machine after plan.rows.after_id, those that are old by their time, and
// the first plan.excess_count, which are too many. Columns of `rows`, in order of observation_id:
// it, scenario_id, time_s, timing_count, at_us, job_id, source_id (0: none), kind, epoch.
template <typename Query>
absl::StatusOr<OldRowSums> TakeOldRows(Query& rows, const SumUpPlan& plan, int64_t limit) {
  OldRowSums found;
  int64_t count = 0;
  int64_t last_id = plan.rows.after_id;
  for (; rows.Next(); ++count) {
    last_id = rows.Int(0);
    const int64_t at_us = rows.Int(4);
    if (count >= plan.excess_count && at_us >= plan.rows.before_us) continue;
    Take(rows.Int(0), at_us, rows.Real(2), rows.Int(3),
         {.scenario_id = rows.Int(1),
          .job_id = rows.Int(5),
          .source_id = rows.Int(6),
          .kind = rows.Int(7),
          .epoch = rows.Int(8)},
         found);
  }
  if (!rows.status().ok()) return rows.status();
  const bool takes_all = count == static_cast<int64_t>(found.ids.size());
  found.through_id = plan.rows.after_id == 0 && takes_all ? 0 : last_id;
  found.has_more = count == limit;
  return found;
}

// Columns of `row` from `column` on: first_id, last_id, first_us, last_us, timing_count,
// total_time_s, observation_count, weight, bins.
template <typename Query>
absl::StatusOr<DaySum> DaySumOf(const Query& row, int column) {
  absl::StatusOr<std::vector<CellBin>> bins = DecodeBins(row.Bytes(column + 8));
  if (!bins.ok()) return bins.status();
  return DaySum{.first_id = row.Int(column),
                .last_id = row.Int(column + 1),
                .first_us = row.Int(column + 2),
                .last_us = row.Int(column + 3),
                .timing_count = row.Int(column + 4),
                .total_time_s = row.Real(column + 5),
                .cell = {row.Int(column + 6), row.Int(column + 7), *std::move(bins)}};
}

}  // namespace cox::store

#endif  // COX_STORE_DAY_SUM_H_
