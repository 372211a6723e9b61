#include "store/sqlite/views/summary.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "domain/saturating_add.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/retention/old_sums.h"
#include "store/sqlite/scenario_columns.h"
#include "store/sqlite/views/whole_job.h"
#include "store/time_bucket.h"

namespace cox::store {
namespace {

// The newest rows of a reporter; parameters: its job, source and machine, as far as it has them,
// and the number of rows. A job's or a source's come batch by batch, the newest batch first: the
// batches are sorted, and CROSS JOIN keeps their order, so that no row is sorted. Without its LIMIT
// SQLite would drop the order of the batches.
std::string RowsOf(const ObservationFilter& reporter) {
  constexpr absl::string_view kColumns =
      "SELECT o.scenario_id, o.at_us, o.time_s, o.timing_count FROM ";
  const absl::string_view of_machine = reporter.machine.empty() ? "" : " AND o.machine_id = ?";
  if (reporter.job.empty() && reporter.source.empty()) {
    return absl::StrCat(kColumns, "observation o WHERE 1", of_machine,
                        " ORDER BY o.observation_id DESC LIMIT ?");
  }
  std::string batches = "SELECT batch_id, id_count FROM batch WHERE 1";
  if (!reporter.job.empty()) absl::StrAppend(&batches, " AND job_id IN (", kPartsOfJob, ")");
  if (!reporter.source.empty()) {
    absl::StrAppend(&batches, " AND source_id = (SELECT source_id FROM source WHERE name = ?)");
  }
  return absl::StrCat("WITH b AS MATERIALIZED (", batches, " ORDER BY batch_id DESC LIMIT -1) ",
                      kColumns,
                      "b CROSS JOIN observation o ON o.observation_id BETWEEN b.batch_id"
                      " AND b.batch_id + b.id_count - 1 WHERE 1",
                      of_machine, " LIMIT ?");
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

// Adds observations, and sums of old ones, to the rows of a summary.
class Collector {
 public:
  Collector(Database& db, const SummaryFilter& filter) : filter_(filter), scenarios_(db, filter) {}

  // Measured at `at_us`. False: an error, or the next one is not to be read.
  bool Add(int64_t scenario_id, int64_t at_us, const SummaryRow& part) {
    if (read_++ == filter_.newest) return End();
    if (at_us < filter_.start_time_us.value_or(at_us)) {
      return ++older_ < kMostOlderRows || End();
    }
    older_ = 0;
    if (filter_.end_time_us && at_us >= *filter_.end_time_us) return true;
    const domain::ScenarioKey* scenario = scenarios_.Find(scenario_id);
    if (!scenarios_.status().ok()) return false;
    if (scenario == nullptr) return true;
    const int64_t begin_us = BucketOf(at_us, filter_.bucket_us);
    const auto [it, is_new] = row_of_.try_emplace({begin_us, scenario_id}, summary_.rows.size());
    if (is_new && summary_.rows.size() == filter_.most_rows) return End();
    if (is_new) summary_.rows.push_back({.scenario = *scenario, .start_time_us = begin_us});
    SummaryRow& row = summary_.rows[it->second];
    row.timing_count = domain::SaturatingAdd(row.timing_count, part.timing_count);
    row.total_time_s += part.total_time_s;
    store::Add(part.cell, row.cell);
    return true;
  }

  bool has_ended() const { return summary_.has_older; }
  const absl::Status& status() const { return scenarios_.status(); }

  Summary Take() {
    std::sort(
        summary_.rows.begin(), summary_.rows.end(), [](const SummaryRow& a, const SummaryRow& b) {
          return std::tie(a.start_time_us, a.scenario) < std::tie(b.start_time_us, b.scenario);
        });
    return std::move(summary_);
  }

 private:
  bool End() {
    summary_.has_older = true;
    return false;
  }

  const SummaryFilter& filter_;
  Scenarios scenarios_;
  Summary summary_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> row_of_;  // by bucket and scenario
  int64_t read_ = 0;
  int64_t older_ = 0;  // before the period, one after the other
};

}  // namespace

absl::StatusOr<Summary> ReadSummary(Database& db, const SummaryFilter& filter) {
  const ObservationFilter& reporter = filter.reporter;
  std::optional<int64_t> machine_id;
  if (!reporter.machine.empty()) {
    const absl::StatusOr<int64_t> found = FindMachineId(db, reporter.machine);
    if (!found.ok()) return found.status();
    machine_id = *found;
  }
  Collector collector(db, filter);
  {
    Query rows(db, RowsOf(reporter));
    if (!reporter.job.empty()) BindPartsOf(reporter.job, rows);
    if (!reporter.source.empty()) rows.Bind(absl::string_view(reporter.source));
    if (machine_id) rows.Bind(*machine_id);
    rows.Bind(filter.newest + 1);
    SummaryRow row;
    bool goes_on = true;
    while (goes_on && rows.Next()) {
      row.timing_count = rows.Int(3);
      row.total_time_s = rows.Real(2) * static_cast<double>(rows.Int(3));
      row.cell = {};
      AddTiming(rows.Real(2), rows.Int(3), kNotTold, row.cell);
      goes_on = collector.Add(rows.Int(0), rows.Int(1), row);
    }
    if (!rows.status().ok()) return rows.status();
  }
  if (!collector.has_ended() && collector.status().ok()) {
    absl::Status read = ReadOldSums(db, reporter, machine_id, [&](const OldSum& sum) {
      return collector.Add(
          sum.scenario_id, sum.first_us,
          {.timing_count = sum.timing_count, .total_time_s = sum.total_time_s, .cell = sum.cell});
    });
    if (!read.ok()) return read;
  }
  if (!collector.status().ok()) return collector.status();
  return collector.Take();
}

}  // namespace cox::store
