#include "store/sqlite/views/summary.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/scenario_columns.h"
#include "store/time_bucket.h"

namespace cox::store {
namespace {

// The newest rows of a reporter; parameters: its machine, job and source, as far as it has them,
// and the number of rows. A job's or a source's come by batches: CROSS JOIN keeps that order, so
// that no row is sorted.
std::string RowsOf(const ObservationFilter& reporter) {
  const bool by_batch = !reporter.job.empty() || !reporter.source.empty();
  std::string sql = absl::StrCat(
      "SELECT o.scenario_id, o.at_us, o.time_s, o.timing_count FROM ",
      by_batch ? "batch b CROSS JOIN observation o ON o.observation_id BETWEEN b.batch_id"
                 " AND b.batch_id + b.id_count - 1 WHERE 1"
               : "observation o WHERE 1");
  if (!reporter.machine.empty()) absl::StrAppend(&sql, " AND o.machine_id = ?");
  if (!reporter.job.empty()) {
    absl::StrAppend(&sql, " AND b.job_id = (SELECT job_id FROM job WHERE name = ?)");
  }
  if (!reporter.source.empty()) {
    absl::StrAppend(&sql, " AND b.source_id = (SELECT source_id FROM source WHERE name = ?)");
  }
  return absl::StrCat(sql, " ORDER BY ", by_batch ? "b.batch_id DESC, " : "",
                      "o.observation_id DESC LIMIT ?");
}

// The scenarios that rows belong to, each read once.
class Scenarios {
 public:
  Scenarios(Database& db, const SummaryFilter& filter)
      : filter_(filter),
        query_(db, absl::StrCat("SELECT m.name, ", kScenarioColumns,
                                " FROM scenario s CROSS JOIN machine m USING (machine_id)"
                                " WHERE s.scenario_id = ? AND m.name IS NOT NULL")) {}

  // Null if the filter excludes it. Valid until the next call.
  const domain::ScenarioKey* Find(int64_t scenario_id) {
    const auto [it, is_new] = known_.try_emplace(scenario_id);
    if (is_new) it->second = Read(scenario_id);
    return it->second ? &*it->second : nullptr;
  }

  const absl::Status& status() const { return query_.status(); }

 private:
  std::optional<domain::ScenarioKey> Read(int64_t scenario_id) {
    query_.Reset();
    query_.Bind(scenario_id);
    if (!query_.Next()) return std::nullopt;
    domain::ScenarioKey key = ScenarioOf(query_, 1, query_.Text(0));
    const auto wants = [](const std::string& wanted, const std::string& is) {
      return wanted.empty() || wanted == is;
    };
    if (!wants(filter_.library, key.library) || !wants(filter_.collective, key.collective) ||
        !wants(filter_.algorithm, key.algorithm)) {
      return std::nullopt;
    }
    return key;
  }

  const SummaryFilter& filter_;
  Query query_;
  absl::flat_hash_map<int64_t, std::optional<domain::ScenarioKey>> known_;
};

}  // namespace

absl::StatusOr<Summary> ReadSummary(Database& db, const SummaryFilter& filter) {
  const ObservationFilter& reporter = filter.reporter;
  Query rows(db, RowsOf(reporter));
  if (!reporter.machine.empty()) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(db, reporter.machine);
    if (!machine_id.ok()) return machine_id.status();
    rows.Bind(*machine_id);
  }
  if (!reporter.job.empty()) rows.Bind(absl::string_view(reporter.job));
  if (!reporter.source.empty()) rows.Bind(absl::string_view(reporter.source));
  rows.Bind(filter.newest + 1);
  Scenarios scenarios(db, filter);
  Summary summary;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> row_of;  // by bucket and scenario
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
    const domain::ScenarioKey* scenario = scenarios.Find(rows.Int(0));
    if (!scenarios.status().ok()) return scenarios.status();
    if (scenario == nullptr) continue;
    const int64_t begin_us = BucketOf(at_us, filter.bucket_us);
    const auto [it, is_new] = row_of.try_emplace({begin_us, rows.Int(0)}, summary.rows.size());
    if (is_new) summary.rows.push_back({.scenario = *scenario, .start_time_us = begin_us});
    SummaryRow& row = summary.rows[it->second];
    row.timing_count += rows.Int(3);
    row.total_time_s += rows.Real(2) * static_cast<double>(rows.Int(3));
    AddTiming(rows.Real(2), rows.Int(3), row.cell);
  }
  if (!rows.status().ok()) return rows.status();
  std::sort(summary.rows.begin(), summary.rows.end(), [](const SummaryRow& a, const SummaryRow& b) {
    return std::tie(a.start_time_us, a.scenario) < std::tie(b.start_time_us, b.scenario);
  });
  return summary;
}

}  // namespace cox::store
