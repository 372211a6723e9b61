#include "store/postgres/ingest.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "domain/principal_name.h"
#include "store/postgres/connection/binary.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/partitions.h"
#include "store/postgres/rows/audit_rows.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/postgres/rows/report_counts.h"
#include "store/postgres/rows/sketch_rows.h"
#include "store/statistic.h"
#include "store/words.h"

namespace cox::store::postgres {
namespace {

// Ids that are remembered, before the memory starts over: a scenario takes about 400 bytes.
constexpr size_t kMostIds = 65'536;

// A row of COPY: an int16 with the number of its fields comes first.
void BeginRow(int16_t fields, std::string& out) { AppendInt16(fields, out); }

}  // namespace

absl::Status CheckTexts(const ObservationBatch& batch) {
  const auto refuse = [](absl::string_view field) {
    return absl::InvalidArgumentError(absl::StrCat(field, " must be UTF-8 without a byte 0"));
  };
  if (!IsText(batch.job)) return refuse("job");
  if (!IsText(batch.source)) return refuse("source");
  for (size_t i = 0; i < batch.observations.size(); ++i) {
    const ObservationRecord& row = batch.observations[i];
    const std::pair<const char*, const std::string&> fields[] = {
        {"machine", row.scenario.machine},
        {"library", row.scenario.library},
        {"collective", row.scenario.collective},
        {"algorithm", row.scenario.algorithm},
        {"run", row.run}};
    for (const auto& [name, text] : fields) {
      if (!IsText(text)) return refuse(absl::StrCat("observations[", i, "].", name));
    }
  }
  for (size_t i = 0; i < batch.sketches.size(); ++i) {
    const domain::PatternKey& key = batch.sketches[i].key;
    if (!IsText(key.machine)) return refuse(absl::StrCat("sketches[", i, "].machine"));
    if (!IsText(key.application)) return refuse(absl::StrCat("sketches[", i, "].application"));
  }
  return absl::OkStatus();
}

absl::Status Ingest::Write(int64_t now_us, std::vector<std::string>* changed) {
  if (staged_.empty()) return absl::OkStatus();
  if (absl::Status status = writes_.Open(); !status.ok()) return status;
  const bool is_new_connection =
      std::exchange(seen_connection_count_, writes_.connection_count()) !=
      writes_.connection_count();
  // The sums of the groups before may be lost, too, or wait with those of other daemons.
  if (is_new_connection) noted_group_count_ = kMostNotedGroups;
  if (std::exchange(seen_rewrite_count_, writes_.next_id().rewrite_count) !=
          writes_.next_id().rewrite_count ||
      is_new_connection) {
    DropIds();
  }
  for (const auto step : {&Ingest::ResolveMachines, &Ingest::ResolveReporters}) {
    if (absl::Status status = (this->*step)(); !status.ok()) return status;
  }
  if (staged_.empty()) return absl::OkStatus();
  const int64_t end_id = AssignIds();
  absl::Status partitioned =
      MakePartitions(writes_.session(), writes_.next_id().partition_end_id, end_id);
  if (!partitioned.ok()) return partitioned;
  if (absl::Status status = InsertBatches(); !status.ok()) return status;
  // Of resends nothing is written, and their ids are given again.
  if (staged_.empty()) return absl::OkStatus();
  for (const auto step :
       {&Ingest::ResolveScenarios, &Ingest::CopyObservations, &Ingest::CountReports}) {
    if (absl::Status status = (this->*step)(); !status.ok()) return status;
  }
  if (absl::Status status = AddSketches(now_us); !status.ok()) return status;
  for (const Staged& staged : staged_) {
    const std::string* last = nullptr;
    for (const ObservationRecord& row : staged.batch->observations) {
      if (last == nullptr || *last != row.scenario.machine) {
        changed->push_back(row.scenario.machine);
      }
      last = &row.scenario.machine;
    }
    for (const AuditRecord& record : ImportAudit(*staged.batch, now_us)) {
      absl::Status status = InsertAudit(writes_.session(), record);
      if (!status.ok()) return status;
    }
  }
  Query update(writes_.session(), "UPDATE next_id SET observation_id = $1");
  return update.Bind(end_id).Run();
}

void Ingest::EndGroup(bool is_committed) {
  staged_.clear();
  const size_t id_count = scenarios_.size() + jobs_.size() + sources_.size();
  if (!is_committed || id_count > kMostIds) DropIds();
}

void Ingest::DropIds() {
  machines_.Clear();
  jobs_.Clear();
  sources_.Clear();
  scenarios_.Clear();
}

// Batches with an unknown machine leave the group.
absl::Status Ingest::ResolveMachines() {
  for (const Staged& staged : staged_) {
    for (const ObservationRecord& row : staged.batch->observations) {
      machines_.Want(row.scenario.machine);
    }
    for (const domain::PatternSketch& sketch : staged.batch->sketches) {
      machines_.Want(sketch.key.machine);
    }
    const std::string& dropped = staged.batch->DroppedMachine();
    if (!dropped.empty()) machines_.Want(dropped);
  }
  if (absl::Status status = machines_.Resolve(writes_.session()); !status.ok()) return status;
  std::erase_if(staged_, [this](const Staged& staged) {
    for (const ObservationRecord& row : staged.batch->observations) {
      if (machines_.Find(row.scenario.machine) != 0) continue;
      *staged.result = UnknownMachine(row.scenario.machine);
      return true;
    }
    for (const domain::PatternSketch& sketch : staged.batch->sketches) {
      if (machines_.Find(sketch.key.machine) != 0) continue;
      *staged.result = UnknownMachine(sketch.key.machine);
      return true;
    }
    const std::string& dropped = staged.batch->DroppedMachine();
    if (dropped.empty() || machines_.Find(dropped) != 0) return false;
    *staged.result = UnknownMachine(dropped);
    return true;
  });
  return absl::OkStatus();
}

absl::Status Ingest::ResolveReporters() {
  for (const Staged& staged : staged_) {
    jobs_.Want(staged.batch->job);
    if (!staged.batch->source.empty()) sources_.Want(staged.batch->source);
  }
  if (absl::Status status = jobs_.Resolve(writes_.session()); !status.ok()) return status;
  return sources_.Resolve(writes_.session());
}

absl::Status Ingest::ResolveScenarios() {
  for (const Staged& staged : staged_) {
    for (const ObservationRecord& row : staged.batch->observations) scenarios_.Want(row.scenario);
  }
  return scenarios_.Resolve(writes_.session(), machines_);
}

int64_t Ingest::AssignIds() {
  int64_t next_id = writes_.next_id().observation_id;
  for (Staged& staged : staged_) {
    const auto row_count = static_cast<int64_t>(staged.batch->observations.size());
    staged.first_id = next_id;
    next_id += std::max<int64_t>(1, row_count);
    *staged.result = row_count == 0
                         ? AppendResult{}
                         : AppendResult{.first_id = staged.first_id, .last_id = next_id - 1};
  }
  return next_id;
}

// A batch that is there already, or before in the group, is a resend and leaves the group. Not by
// COPY, which cannot pass over rows.
absl::Status Ingest::InsertBatches() {
  constexpr int64_t kNone = -1;
  std::vector<int64_t> columns[7];
  for (const Staged& staged : staged_) {
    const ObservationBatch& batch = *staged.batch;
    const int64_t values[] = {staged.first_id,
                              jobs_.Find(batch.job),
                              batch.job.empty() ? kNone : batch.sequence,
                              std::max<int64_t>(1, static_cast<int64_t>(batch.observations.size())),
                              batch.dropped_count,
                              batch.source.empty() ? kNone : sources_.Find(batch.source),
                              static_cast<int64_t>(batch.kind)};
    for (size_t i = 0; i < std::size(values); ++i) columns[i].push_back(values[i]);
  }
  Query insert(writes_.session(),
               "INSERT INTO batch (batch_id, job_id, sequence, id_count, dropped_count, source_id,"
               " kind) SELECT id, job_id, nullif(sequence, -1), id_count, dropped_count,"
               " nullif(source_id, -1), kind FROM unnest($1::bigint[], $2::bigint[], $3::bigint[],"
               " $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) AS b"
               " (id, job_id, sequence, id_count, dropped_count, source_id, kind)"
               " ON CONFLICT (job_id, sequence) DO NOTHING RETURNING batch_id");
  for (const std::vector<int64_t>& column : columns) insert.BindAll(column);
  absl::flat_hash_set<int64_t> new_ids;
  while (insert.Next()) new_ids.insert(insert.Int(0));
  if (!insert.status().ok()) return insert.status();
  std::erase_if(staged_, [&new_ids](const Staged& staged) {
    if (new_ids.contains(staged.first_id)) return false;
    *staged.result = AppendResult{.duplicate = true};
    return true;
  });
  return absl::OkStatus();
}

absl::Status Ingest::CopyObservations() {
  std::string rows = CopyBegin();
  CellSums sums;
  for (const Staged& staged : staged_) {
    int64_t id = staged.first_id;
    const int64_t reporter = domain::ReporterNumber(staged.batch->source);
    for (const ObservationRecord& row : staged.batch->observations) {
      const ScenarioId& scenario = scenarios_.At(row.scenario);
      BeginRow(9, rows);
      AppendField(id++, rows);
      AppendField(scenario.machine_id, rows);
      AppendField(scenario.scenario_id, rows);
      AppendField(row.time_s, rows);
      AppendField(row.count, rows);
      AppendField(row.stddev_s, rows);
      AppendField(StatisticNumber(row.statistic), rows);
      row.run.empty() ? AppendNullField(rows) : AppendField(absl::string_view(row.run), rows);
      AppendField(row.at_us, rows);
      AddTiming(row.time_s, row.count, reporter,
                sums[{scenario.scenario_id, staged.batch->kind, scenario.epoch}]);
    }
  }
  if (sums.empty()) return absl::OkStatus();
  rows += CopyEnd();
  absl::Status copied = writes_.session().CopyRows(
      "observation (observation_id, machine_id, scenario_id, time_s, timing_count, stddev_s,"
      " statistic, run, at_us)",
      rows);
  if (!copied.ok()) return copied;
  absl::Status noted = NoteCellChange(writes_.session(), sums);
  if (!noted.ok() || ++noted_group_count_ < kMostNotedGroups) return noted;
  noted_group_count_ = 0;
  return MakeCellChanges(writes_.session());
}

absl::Status Ingest::AddSketches(int64_t now_us) {
  SketchParts parts;
  for (const Staged& staged : staged_) {
    const ObservationBatch& batch = *staged.batch;
    for (const domain::PatternSketch& sketch : batch.sketches) {
      parts.Add({.machine_id = machines_.Find(sketch.key.machine),
                 .job_id = jobs_.Find(batch.job),
                 .source_id = sources_.Find(batch.source)},
                sketch);
    }
  }
  return AddToSketches(writes_.session(), std::move(parts), now_us);
}

absl::Status Ingest::CountReports() {
  ReportCounts counts;
  for (const Staged& staged : staged_) {
    const ObservationBatch& batch = *staged.batch;
    ReportKey key{.job_id = jobs_.Find(batch.job), .source_id = sources_.Find(batch.source)};
    for (const ObservationRecord& row : batch.observations) {
      key.machine_id = machines_.Find(row.scenario.machine);
      ++counts[key].observation_count;
    }
    if (batch.dropped_count == 0) continue;
    const std::string& machine = batch.DroppedMachine();
    key.machine_id = machine.empty() ? 0 : machines_.Find(machine);
    counts[key].dropped_count += batch.dropped_count;
  }
  return counts.empty() ? absl::OkStatus() : AddReports(writes_.session(), counts);
}

}  // namespace cox::store::postgres
