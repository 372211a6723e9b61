#include "store/sqlite/ingest.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "domain/principal_name.h"
#include "store/sqlite/audit/audit_table.h"
#include "store/sqlite/report_count.h"
#include "store/sqlite/sketch_table.h"
#include "store/statistic.h"

namespace cox::store {
namespace {

// Entries, before a cache starts over. A scenario takes about 400 bytes, and 32 for each bin.
constexpr size_t kMaxCachedScenarios = 65'536;
constexpr size_t kMaxCachedBins = 2'000'000;
constexpr size_t kMaxCachedJobs = 16'384;

// Keeps the capacity for the next batch.
void Clear(Cell& cell) {
  std::vector<CellBin> bins = std::move(cell.bins);
  bins.clear();
  cell = {.bins = std::move(bins)};
}

}  // namespace

size_t Ingest::KeyHash::operator()(const domain::ScenarioKey& key) const {
  return absl::HashOf(key.machine, key.library, key.collective, key.algorithm, key.nodes, key.ppn,
                      key.ranks, key.block_bytes, key.type_bytes);
}

absl::Status Ingest::Load() {
  if (absl::Status status = rows_.Attach(); !status.ok()) return status;
  Query query(db_, "SELECT observation_id FROM next_id");
  if (!query.Next()) {
    return query.status().ok() ? absl::DataLossError("database: table next_id is empty")
                               : query.status();
  }
  next_id_ = committed_next_id_ = query.Int(0);
  return absl::OkStatus();
}

absl::StatusOr<AppendResult> Ingest::Append(const ObservationBatch& batch, int64_t now_us) {
  const absl::StatusOr<int64_t> job_id = JobId(batch.job);
  if (!job_id.ok()) return job_id.status();
  const absl::StatusOr<int64_t> source_id = SourceId(batch.source);
  if (!source_id.ok()) {
    Forget(batch);
    return source_id.status();
  }
  const auto row_count = static_cast<int64_t>(batch.observations.size());
  const int64_t first_id = next_id_;
  const int64_t id_count = std::max<int64_t>(1, row_count);
  {
    Query insert(
        db_,
        "INSERT INTO batch (batch_id, job_id, sequence, id_count, dropped_count, source_id,"
        " kind) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_id, sequence) DO NOTHING");
    insert.Bind(first_id).Bind(*job_id);
    batch.job.empty() ? insert.BindNull() : insert.Bind(batch.sequence);
    insert.Bind(id_count).Bind(batch.dropped_count);
    *source_id == 0 ? insert.BindNull() : insert.Bind(*source_id);
    insert.Bind(static_cast<int64_t>(batch.kind));
    if (absl::Status status = insert.Run(); !status.ok()) {
      Forget(batch);
      return status;
    }
    if (db_.ChangedRowCount() == 0) return AppendResult{.duplicate = true};
  }
  absl::Status status = InsertRows(batch, first_id);
  if (status.ok() && batch.dropped_count > 0) status = AddDropped(batch, *job_id);
  if (status.ok()) status = CountReports(batch, *job_id, *source_id);
  if (status.ok()) status = AddSketches(batch, *job_id, *source_id, now_us);
  if (status.ok()) status = InsertImportAudit(db_, batch, now_us);
  if (!status.ok()) {
    Forget(batch);
    return status;
  }
  for (Scenario* const scenario : pending_) {
    Cell& cell = scenario->stored.cell;
    cached_bins_ -= cell.bins.size();
    Add(scenario->pending, cell);
    cached_bins_ += cell.bins.size();
    Clear(scenario->pending);
    if (!std::exchange(scenario->changed, true)) changed_.push_back(scenario);
  }
  pending_.clear();
  new_scenarios_.clear();
  next_id_ += id_count;
  if (row_count == 0) return AppendResult{};
  return AppendResult{.first_id = first_id, .last_id = first_id + row_count - 1};
}

absl::Status Ingest::InsertRows(const ObservationBatch& batch, int64_t first_id) {
  int64_t id = first_id;
  const domain::ScenarioKey* last_key = nullptr;
  Scenario* scenario = nullptr;
  const int64_t reporter = domain::ReporterNumber(batch.source);
  rows_.Clear();
  rows_.Reserve(batch.observations.size());
  for (const ObservationRecord& row : batch.observations) {
    // Reporters sort by scenario more often than not.
    if (last_key == nullptr || !(*last_key == row.scenario)) {
      const absl::StatusOr<Scenario*> found = FindScenario(row.scenario, batch.kind);
      if (!found.ok()) return found.status();
      scenario = *found;
      last_key = &row.scenario;
    }
    rows_.Add({.observation_id = id++,
               .machine_id = scenario->machine_id,
               .scenario_id = scenario->key.scenario_id,
               .time_s = row.time_s,
               .timing_count = row.count,
               .stddev_s = row.stddev_s,
               .statistic = StatisticNumber(row.statistic),
               .run = row.run,
               .at_us = row.at_us});
    if (scenario->pending.observation_count == 0) pending_.push_back(scenario);
    AddTiming(row.time_s, row.count, reporter, scenario->pending);
  }
  return batch.observations.empty() ? absl::OkStatus() : rows_.Insert();
}

absl::StatusOr<int64_t> Ingest::DroppedMachineId(const ObservationBatch& batch) {
  if (batch.DroppedMachine().empty()) return 0;
  return MachineId(batch.DroppedMachine());
}

absl::Status Ingest::AddDropped(const ObservationBatch& batch, int64_t job_id) {
  Query job(db_, "UPDATE job SET dropped_count = dropped_count + ? WHERE job_id = ?");
  job.Bind(batch.dropped_count).Bind(job_id);
  if (absl::Status status = job.Run(); !status.ok()) return status;
  const absl::StatusOr<int64_t> machine_id = DroppedMachineId(batch);
  if (!machine_id.ok() || *machine_id == 0) return machine_id.status();
  Query machine(db_, "UPDATE machine SET dropped_count = dropped_count + ? WHERE machine_id = ?");
  machine.Bind(batch.dropped_count).Bind(*machine_id);
  return machine.Run();
}

absl::Status Ingest::AddSketches(const ObservationBatch& batch, int64_t job_id, int64_t source_id,
                                 int64_t now_us) {
  std::map<int64_t, std::set<absl::string_view>> grown;  // applications by machine
  for (const domain::PatternSketch& sketch : batch.sketches) {
    const absl::StatusOr<int64_t> machine_id = MachineId(sketch.key.machine);
    if (!machine_id.ok()) return machine_id.status();
    const absl::StatusOr<bool> is_new = AddToSketch(
        db_, {.machine_id = *machine_id, .job_id = job_id, .source_id = source_id}, sketch, now_us);
    if (!is_new.ok()) return is_new.status();
    if (*is_new) grown[*machine_id].insert(sketch.key.application);
  }
  for (const auto& [machine_id, applications] : grown) {
    for (const absl::string_view application : applications) {
      absl::Status pruned = PruneApplicationSketches(db_, machine_id, application);
      if (!pruned.ok()) return pruned;
    }
    if (absl::Status pruned = PruneSketches(db_, machine_id); !pruned.ok()) return pruned;
  }
  return absl::OkStatus();
}

absl::Status Ingest::CountReports(const ObservationBatch& batch, int64_t job_id,
                                  int64_t source_id) {
  absl::flat_hash_map<int64_t, ObservationCount> counts;
  for (const Scenario* const scenario : pending_) {
    counts[scenario->machine_id].observation_count += scenario->pending.observation_count;
  }
  if (batch.dropped_count > 0) {
    const absl::StatusOr<int64_t> machine_id = DroppedMachineId(batch);
    if (!machine_id.ok()) return machine_id.status();
    counts[*machine_id].dropped_count += batch.dropped_count;
  }
  for (const auto& [machine_id, count] : counts) {
    absl::Status status = AddReports(
        db_, {.job_id = job_id, .source_id = source_id, .machine_id = machine_id}, count);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The savepoint undoes the rows; this undoes the copies.
void Ingest::Forget(const ObservationBatch& batch) {
  for (Scenario* const scenario : pending_) Clear(scenario->pending);
  pending_.clear();
  for (const domain::ScenarioKey& key : new_scenarios_)
    scenarios_[static_cast<size_t>(batch.kind)].erase(key);
  new_scenarios_.clear();
  job_ids_.erase(batch.job);
  source_ids_.erase(batch.source);
}

absl::StatusOr<int64_t> Ingest::MachineId(const std::string& name) {
  if (const auto it = machine_ids_.find(name); it != machine_ids_.end()) return it->second;
  Query query(db_, "SELECT machine_id FROM machine WHERE name = ?");
  query.Bind(absl::string_view(name));
  if (!query.Next()) {
    if (!query.status().ok()) return query.status();
    return absl::NotFoundError(
        absl::StrCat("machine ", name, " does not exist; `cox machine list` lists all machines"));
  }
  return machine_ids_[name] = query.Int(0);
}

absl::StatusOr<int64_t> Ingest::JobId(const std::string& name) {
  if (const auto it = job_ids_.find(name); it != job_ids_.end()) return it->second;
  {
    Query query(db_, "SELECT job_id FROM job WHERE name = ?");
    query.Bind(absl::string_view(name));
    if (query.Next()) return job_ids_[name] = query.Int(0);
    if (!query.status().ok()) return query.status();
  }
  Query insert(db_, "INSERT INTO job (name) VALUES (?)");
  insert.Bind(absl::string_view(name));
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  return job_ids_[name] = db_.LastInsertId();
}

// 0 for no name.
absl::StatusOr<int64_t> Ingest::SourceId(const std::string& name) {
  if (name.empty()) return 0;
  if (const auto it = source_ids_.find(name); it != source_ids_.end()) return it->second;
  {
    Query query(db_, "SELECT source_id FROM source WHERE name = ?");
    query.Bind(absl::string_view(name));
    if (query.Next()) return source_ids_[name] = query.Int(0);
    if (!query.status().ok()) return query.status();
  }
  Query insert(db_, "INSERT INTO source (name) VALUES (?)");
  insert.Bind(absl::string_view(name));
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  return source_ids_[name] = db_.LastInsertId();
}

absl::StatusOr<Ingest::Scenario*> Ingest::FindScenario(const domain::ScenarioKey& key,
                                                       domain::CellKind kind) {
  auto& scenarios = scenarios_[static_cast<size_t>(kind)];
  if (const auto it = scenarios.find(key); it != scenarios.end()) return it->second.get();
  const absl::StatusOr<int64_t> machine_id = MachineId(key.machine);
  if (!machine_id.ok()) return machine_id.status();
  const auto bind_key = [&](Query& query) {
    query.Bind(*machine_id).Bind(absl::string_view(key.library));
    query.Bind(absl::string_view(key.collective)).Bind(absl::string_view(key.algorithm));
    query.Bind(key.nodes).Bind(key.ppn).Bind(key.ranks).Bind(key.block_bytes).Bind(key.type_bytes);
  };
  auto scenario = std::make_unique<Scenario>();
  scenario->machine_id = *machine_id;
  scenario->key.kind = kind;
  Query find(
      db_,
      "SELECT scenario_id FROM scenario"
      " WHERE machine_id = ? AND library = ? AND collective = ? AND algorithm = ? AND nodes = ?"
      " AND ppn = ? AND ranks = ? AND block_bytes = ? AND type_bytes = ?");
  bind_key(find);
  if (find.Next()) {
    scenario->key.scenario_id = find.Int(0);
  } else {
    if (!find.status().ok()) return find.status();
    Query insert(
        db_,
        "INSERT INTO scenario (machine_id, library, collective, algorithm, nodes, ppn, ranks,"
        " block_bytes, type_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_key(insert);
    if (absl::Status status = insert.Run(); !status.ok()) return status;
    scenario->key.scenario_id = db_.LastInsertId();
    new_scenarios_.push_back(key);
  }
  const absl::StatusOr<int64_t> epoch = CurrentEpoch(db_, scenario->key.scenario_id);
  if (!epoch.ok()) return epoch.status();
  scenario->key.epoch = *epoch;
  absl::StatusOr<StoredCell> stored = FindCell(db_, scenario->key);
  if (!stored.ok()) return stored.status();
  scenario->stored = *std::move(stored);
  cached_bins_ += scenario->stored.cell.bins.size();
  return (scenarios[key] = std::move(scenario)).get();
}

absl::Status Ingest::BeforeCommit() {
  for (Scenario* const scenario : changed_) {
    if (absl::Status status = WriteCell(db_, scenario->key, scenario->stored); !status.ok()) {
      return status;
    }
  }
  if (next_id_ == committed_next_id_) return absl::OkStatus();
  Query update(db_, "UPDATE next_id SET observation_id = ?");
  update.Bind(next_id_);
  return update.Run();
}

void Ingest::AfterCommit() {
  for (Scenario* const scenario : changed_) scenario->changed = false;
  changed_.clear();
  committed_next_id_ = next_id_;
  if (scenarios_[0].size() + scenarios_[1].size() > kMaxCachedScenarios ||
      cached_bins_ > kMaxCachedBins) {
    for (auto& scenarios : scenarios_) scenarios.clear();
    cached_bins_ = 0;
  }
  if (job_ids_.size() > kMaxCachedJobs) job_ids_.clear();
  if (source_ids_.size() > kMaxCachedJobs) source_ids_.clear();
}

void Ingest::AfterRollback() {
  next_id_ = committed_next_id_;
  DropCaches();
}

void Ingest::DropCaches() {
  changed_.clear();
  pending_.clear();
  new_scenarios_.clear();
  for (auto& scenarios : scenarios_) scenarios.clear();
  cached_bins_ = 0;
  machine_ids_.clear();
  job_ids_.clear();
  source_ids_.clear();
}

}  // namespace cox::store
