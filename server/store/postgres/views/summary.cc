#include "store/postgres/views/summary.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/scenario_columns.h"
#include "store/time_bucket.h"

namespace cox::store::postgres {
namespace {

// The newest rows of a reporter with their scenarios. Parameters: the number of rows, and the
// machine, job and source as far as the reporter has them. The name of a deleted machine is NULL.
std::string RowsOf(const ObservationFilter& reporter) {
  const bool by_batch = !reporter.job.empty() || !reporter.source.empty();
  std::string newest = absl::StrCat(
      "SELECT o.observation_id, o.scenario_id, o.at_us, o.time_s, o.timing_count FROM ",
      by_batch ? "batch b JOIN observation o ON o.observation_id BETWEEN b.batch_id"
                 " AND b.batch_id + b.id_count - 1"
               : "observation o",
      " WHERE true");
  int parameter = 1;
  if (!reporter.machine.empty()) {
    absl::StrAppend(&newest, " AND o.machine_id = $", ++parameter);
  }
  if (!reporter.job.empty()) {
    absl::StrAppend(&newest, " AND b.job_id = (SELECT job_id FROM job WHERE name = $", ++parameter,
                    ")");
  }
  if (!reporter.source.empty()) {
    absl::StrAppend(&newest, " AND b.source_id = (SELECT source_id FROM source WHERE name = $",
                    ++parameter, ")");
  }
  absl::StrAppend(&newest, " ORDER BY ", by_batch ? "b.batch_id DESC, " : "",
                  "o.observation_id DESC LIMIT $1");
  return absl::StrCat("SELECT o.scenario_id, o.at_us, o.time_s, o.timing_count, m.name, ",
                      kScenarioColumns, " FROM (", newest,
                      ") o JOIN scenario s USING (scenario_id) JOIN machine m USING (machine_id)"
                      " ORDER BY o.observation_id DESC");
}

bool Wants(const std::string& wanted, const std::string& is) {
  return wanted.empty() || wanted == is;
}

// A row that the filter wants becomes part of the summary.
class Builder {
 public:
  explicit Builder(const SummaryFilter& filter) : filter_(filter) {}

  void Add(const Query& row) {
    if (row.IsNull(4)) return;
    const int64_t begin_us = BucketOf(row.Int(1), filter_.bucket_us);
    const auto [it, is_new] = row_of_.try_emplace({begin_us, row.Int(0)}, kUnwanted);
    if (is_new) {
      domain::ScenarioKey key = ScenarioOf(row, 5, row.Text(4));
      if (Wants(filter_.library, key.library) && Wants(filter_.collective, key.collective) &&
          Wants(filter_.algorithm, key.algorithm)) {
        it->second = rows_.size();
        rows_.push_back({.scenario = std::move(key), .start_time_us = begin_us});
      }
    }
    if (it->second == kUnwanted) return;
    SummaryRow& sum = rows_[it->second];
    sum.timing_count += row.Int(3);
    sum.total_time_s += row.Real(2) * static_cast<double>(row.Int(3));
    AddTiming(row.Real(2), row.Int(3), sum.cell);
  }

  std::vector<SummaryRow> Sorted() {
    std::sort(rows_.begin(), rows_.end(), [](const SummaryRow& a, const SummaryRow& b) {
      return std::tie(a.start_time_us, a.scenario) < std::tie(b.start_time_us, b.scenario);
    });
    return std::move(rows_);
  }

 private:
  static constexpr size_t kUnwanted = static_cast<size_t>(-1);
  const SummaryFilter& filter_;
  std::vector<SummaryRow> rows_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> row_of_;  // by bucket and scenario
};

}  // namespace

absl::StatusOr<Summary> ReadSummary(Session& session, const SummaryFilter& filter) {
  const ObservationFilter& reporter = filter.reporter;
  Query rows(session, RowsOf(reporter));
  rows.Bind(filter.newest + 1);
  if (!reporter.machine.empty()) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(session, reporter.machine);
    if (!machine_id.ok()) return machine_id.status();
    rows.Bind(*machine_id);
  }
  if (!reporter.job.empty()) rows.Bind(absl::string_view(reporter.job));
  if (!reporter.source.empty()) rows.Bind(absl::string_view(reporter.source));
  rows.Stream();
  Summary summary;
  Builder builder(filter);
  int64_t older = 0;  // rows before the period, one after the other
  for (int64_t read = 0; rows.Next(); ++read) {
    if (read == filter.newest) {
      summary.has_older = true;
      break;
    }
    const int64_t at_us = rows.Int(1);
    if (at_us < filter.start_time_us.value_or(at_us)) {
      if (++older < kMostOlderRows) continue;
      summary.has_older = true;
      break;
    }
    older = 0;
    if (filter.end_time_us && at_us >= *filter.end_time_us) continue;
    builder.Add(rows);
  }
  if (!rows.status().ok()) return rows.status();
  summary.rows = builder.Sorted();
  return summary;
}

}  // namespace cox::store::postgres
