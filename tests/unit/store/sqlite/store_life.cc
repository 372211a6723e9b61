#include "sqlite/store_life.h"

#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "scratch.h"

namespace cox::store {
namespace {

constexpr int64_t kLifeDay_us = 86'400'000'000;
constexpr int64_t kAnyReportId = int64_t{1} << 60;

ObservationBatch LifeBatch(int64_t sequence) {
  ObservationBatch batch = BatchOf("m", "life", sequence, kLifeRows, 1 << (sequence % 5));
  for (ObservationRecord& row : batch.observations) row.at_us = kLifeDay_us + sequence;
  return batch;
}

ProfileRecord LifeProfile() {
  ProfileRecord profile;
  profile.machine = "m";
  profile.provenance = "edited";
  domain::Parameter parameter;
  parameter.model = "hockney";
  parameter.level = domain::Level::kNetwork;
  parameter.name = "alpha_s";
  parameter.value = 1e-6;
  profile.parameters.push_back(parameter);
  return profile;
}

}  // namespace

int64_t LiveOnce(const std::string& directory, int64_t first, const LifeWitness& witness) {
  int64_t sequence = first;
  std::string step;
  const auto begin = [&](const std::string& name) {
    step = name;
    witness.begins(step);
  };
  const auto note = [&](const absl::Status& status) {
    if (!status.ok()) witness.failed(step, status);
  };
  begin(std::filesystem::exists(directory + "/coxswain.db") ? "open" : "migrate");
  StoreOptions options;
  options.directory = directory;
  options.read_connections = 1;
  absl::StatusOr<std::unique_ptr<Store>> opened = OpenSqlite(options);
  if (!opened.ok()) {
    note(opened.status());
    return sequence;
  }
  std::unique_ptr<Store> store = *std::move(opened);
  const Actor actor = {.principal = "uid:1", .method = "test"};
  const auto ingest = [&](int batches) {
    begin("ingest");
    for (int i = 0; i < batches; ++i, ++sequence) {
      const auto result = Append(*store, LifeBatch(sequence));
      if (result.ok()) {
        witness.acknowledged(sequence);
      } else {
        note(result.status());
      }
    }
  };
  begin("machine");
  if (const absl::Status made = store->CreateMachine(MachineNamed("m"), "", actor);
      !made.ok() && !absl::IsAlreadyExists(made)) {
    note(made);
    return sequence;
  }
  ingest(3);
  begin("profile");
  note(store->AddProfile(LifeProfile(), "", actor).status());
  begin("drift");
  domain::Drift drift;
  drift.machine = "m";
  drift.first_id = 2;
  drift.last_id = 3;
  drift.observation_count = 1;
  note(store->AddDrift(drift).status());
  ingest(2);
  begin("forget");
  note(Append(*store, BatchOf("m", absl::StrCat("other", sequence), 1, 5)).status());
  note(store->Forget({.kind = Reporter::Kind::kJob, .name = absl::StrCat("other", sequence)}, actor)
           .status());
  begin("retention");
  ObservationBatch old = BatchOf("m", absl::StrCat("old", sequence), 1, 5);
  for (ObservationRecord& row : old.observations) row.at_us = 1;
  note(Append(*store, old).status());
  note(store->SumUpOld("m", {.before_us = kLifeDay_us, .most_rows = 0, .through_id = kAnyReportId})
           .status());
  begin("compact");
  note(store->Compact({}).status());
  begin("backup");
  const std::string backup = absl::StrCat(directory, "/backup", sequence, ".db");
  note(store->Backup(backup, {}));
  begin("check");
  note(store->CheckContent({}));
  note(store->CountObservations({}).status());
  note(store->ListCells("m").status());
  ingest(2);
  begin("close");
  store.reset();
  std::error_code ignored;
  std::filesystem::remove(backup, ignored);
  begin("end");
  return sequence;
}

std::string CheckLife(const std::string& directory, const std::set<int64_t>& acknowledged) {
  StoreOptions options;
  options.directory = directory;
  options.read_connections = 1;
  absl::StatusOr<std::unique_ptr<Store>> opened = OpenSqlite(options);
  if (!opened.ok()) return absl::StrCat("cannot be opened: ", opened.status().ToString());
  Store& store = **opened;
  const auto rows = store.ListObservations({.machine = "", .job = "life"}, 0, 1'000'000);
  if (!rows.ok()) return absl::StrCat("rows: ", rows.status().ToString());
  std::map<int64_t, int64_t> counts;
  for (const ObservationRecord& row : *rows) ++counts[row.at_us - kLifeDay_us];
  for (const auto& [sequence, count] : counts) {
    if (count != kLifeRows) return absl::StrCat("batch ", sequence, " has ", count, " rows");
  }
  for (const int64_t sequence : acknowledged) {
    if (!counts.contains(sequence)) return absl::StrCat("batch ", sequence, " is lost");
  }
  if (const absl::Status checked = store.CheckContent({}); !checked.ok()) {
    return absl::StrCat("content: ", checked.ToString());
  }
  const bool has_machine = store.GetMachine("m").ok();
  if (!acknowledged.empty() && !has_machine) return "the machine is lost";
  if (!acknowledged.empty()) {
    const auto again = Append(store, LifeBatch(*acknowledged.begin()));
    if (!again.ok()) return absl::StrCat("cannot write: ", again.status().ToString());
    if (!again->duplicate) return "a batch was counted twice";
  }
  int64_t in_cells = 0;
  const std::vector<CellRecord> cells = store.ListCells("m").value_or(std::vector<CellRecord>());
  for (const CellRecord& cell : cells) {
    in_cells += cell.cell.observation_count;
  }
  const int64_t all = store.CountObservations({}).value().observation_count;
  if (in_cells != all) return absl::StrCat("cells have ", in_cells, " of ", all, " rows");
  return "";
}

}  // namespace cox::store
