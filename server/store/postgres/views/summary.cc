#include "store/postgres/views/summary.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "domain/saturating_add.h"
#include "store/day_sum.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/retention/old_sums.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/scenario_columns.h"
#include "store/postgres/views/whole_job.h"
#include "store/time_bucket.h"

namespace cox::store::postgres {
namespace {

// The condition that rows are of the reporter. Parameters: as far as the reporter has them, $2: the
// machine's id, and then the names of the job and the source. `of_batch`: the table with the last
// two.
std::string WhoseRows(const ObservationFilter& reporter, absl::string_view of_row,
                      absl::string_view of_batch) {
  std::string whose = "true";
  int parameter = 1;
  if (!reporter.machine.empty()) {
    absl::StrAppend(&whose, " AND ", of_row, ".machine_id = $", ++parameter);
  }
  if (!reporter.job.empty()) {
    absl::StrAppend(&whose, " AND ", of_batch, ".job_id IN (", PartsOfJob(++parameter), ")");
  }
  if (!reporter.source.empty()) {
    absl::StrAppend(&whose, " AND ", of_batch,
                    ".source_id = (SELECT source_id FROM source WHERE name = $", ++parameter, ")");
  }
  return whose;
}

// Columns of both statements: scenario_id, the time, the machine's name (NULL: deleted), those of
// the scenario, and from kFirstOwn on their own. Parameter $1: the number of rows.
constexpr int kFirstOwn = 3 + kScenarioColumnCount;

// The newest rows of a reporter; their own columns: time_s, timing_count.
std::string RowsOf(const ObservationFilter& reporter) {
  const bool by_batch = !reporter.job.empty() || !reporter.source.empty();
  return absl::StrCat(
      "SELECT o.scenario_id, o.at_us, m.name, ", kScenarioColumns,
      ", o.time_s, o.timing_count FROM (SELECT o.observation_id, o.scenario_id, o.at_us, o.time_s,"
      " o.timing_count FROM ",
      by_batch ? "batch b JOIN observation o ON o.observation_id BETWEEN b.batch_id"
                 " AND b.batch_id + b.id_count - 1"
               : "observation o",
      " WHERE ", WhoseRows(reporter, "o", "b"), " ORDER BY ", by_batch ? "b.batch_id DESC, " : "",
      "o.observation_id DESC LIMIT $1) o JOIN scenario s USING (scenario_id)"
      " JOIN machine m USING (machine_id) ORDER BY o.observation_id DESC");
}

// The newest sums of old rows; their own columns: those of the sum.
std::string SumsOf(const ObservationFilter& reporter) {
  return absl::StrCat("SELECT b.scenario_id, b.first_us, m.name, ", kScenarioColumns, ", ",
                      kSumColumns,
                      " FROM old_sum b JOIN scenario s USING (scenario_id)"
                      " JOIN machine m ON m.machine_id = b.machine_id WHERE ",
                      WhoseRows(reporter, "b", "b"), " ORDER BY b.last_id DESC LIMIT $1");
}

bool Wants(const std::string& wanted, const std::string& is) {
  return wanted.empty() || wanted == is;
}

// Adds observations, and sums of old ones, to the rows of a summary.
class Collector {
 public:
  explicit Collector(const SummaryFilter& filter) : filter_(filter) {}

  // False: the next one is not to be read. `part`: counts and cell of the row.
  bool Add(const Query& row, const SummaryRow& part) {
    if (read_++ == filter_.newest) return End();
    const int64_t at_us = row.Int(1);
    if (at_us < filter_.start_time_us.value_or(at_us)) return ++older_ < kMostOlderRows || End();
    older_ = 0;
    if (row.IsNull(2) || (filter_.end_time_us && at_us >= *filter_.end_time_us)) return true;
    const int64_t begin_us = BucketOf(at_us, filter_.bucket_us);
    const auto [it, is_new] = row_of_.try_emplace({begin_us, row.Int(0)}, kUnwanted);
    if (is_new) {
      domain::ScenarioKey key = ScenarioOf(row, 3, row.Text(2));
      if (Wants(filter_.library, key.library) && Wants(filter_.collective, key.collective) &&
          Wants(filter_.algorithm, key.algorithm)) {
        if (summary_.rows.size() == filter_.most_rows) return End();
        it->second = summary_.rows.size();
        summary_.rows.push_back({.scenario = std::move(key), .start_time_us = begin_us});
      }
    }
    if (it->second == kUnwanted) return true;
    SummaryRow& sum = summary_.rows[it->second];
    sum.timing_count = domain::SaturatingAdd(sum.timing_count, part.timing_count);
    sum.total_time_s += part.total_time_s;
    store::Add(part.cell, sum.cell);
    return true;
  }

  bool has_ended() const { return summary_.has_older; }

  Summary Take() {
    std::sort(
        summary_.rows.begin(), summary_.rows.end(), [](const SummaryRow& a, const SummaryRow& b) {
          return std::tie(a.start_time_us, a.scenario) < std::tie(b.start_time_us, b.scenario);
        });
    return std::move(summary_);
  }

 private:
  static constexpr size_t kUnwanted = static_cast<size_t>(-1);

  bool End() {
    summary_.has_older = true;
    return false;
  }

  const SummaryFilter& filter_;
  Summary summary_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> row_of_;  // by bucket and scenario
  int64_t read_ = 0;
  int64_t older_ = 0;  // before the period, one after the other
};

void BindReporter(const ObservationFilter& reporter, int64_t machine_id, Query& query) {
  if (!reporter.machine.empty()) query.Bind(machine_id);
  if (!reporter.job.empty()) query.Bind(absl::string_view(reporter.job));
  if (!reporter.source.empty()) query.Bind(absl::string_view(reporter.source));
  query.Stream();
}

}  // namespace

absl::StatusOr<Summary> ReadSummary(Session& session, const SummaryFilter& filter) {
  const ObservationFilter& reporter = filter.reporter;
  int64_t machine_id = 0;
  if (!reporter.machine.empty()) {
    const absl::StatusOr<int64_t> found = FindMachineId(session, reporter.machine);
    if (!found.ok()) return found.status();
    machine_id = *found;
  }
  Collector collector(filter);
  {
    Query rows(session, RowsOf(reporter));
    BindReporter(reporter, machine_id, rows.Bind(filter.newest + 1));
    bool goes_on = true;
    while (goes_on && rows.Next()) {
      const double time_s = rows.Real(kFirstOwn);
      const int64_t timing_count = rows.Int(kFirstOwn + 1);
      SummaryRow part{.timing_count = timing_count,
                      .total_time_s = time_s * static_cast<double>(timing_count)};
      AddTiming(time_s, timing_count, kNotTold, part.cell);
      goes_on = collector.Add(rows, part);
    }
    if (!rows.status().ok()) return rows.status();
  }
  if (collector.has_ended()) return collector.Take();
  Query sums(session, SumsOf(reporter));
  BindReporter(reporter, machine_id, sums.Bind(filter.newest + 1));
  bool goes_on = true;
  while (goes_on && sums.Next()) {
    absl::StatusOr<DaySum> sum = DaySumOf(sums, kFirstOwn);
    if (!sum.ok()) return sum.status();
    goes_on = collector.Add(sums, {.timing_count = sum->timing_count,
                                   .total_time_s = sum->total_time_s,
                                   .cell = std::move(sum->cell)});
  }
  if (!sums.status().ok()) return sums.status();
  return collector.Take();
}

}  // namespace cox::store::postgres
