#include "scratch.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "gtest/gtest.h"

namespace cox::store {

ScratchDirectory::ScratchDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "cox-store-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    ADD_FAILURE() << "cannot make " << path_;
    std::abort();
  }
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::unique_ptr<Store> MustOpen(const StoreOptions& options) {
  absl::StatusOr<std::unique_ptr<Store>> store = OpenSqlite(options);
  if (!store.ok()) {
    ADD_FAILURE() << store.status();
    std::abort();
  }
  return *std::move(store);
}

std::unique_ptr<Store> MustOpen(const ScratchDirectory& directory) {
  StoreOptions options;
  options.directory = directory.path();
  return MustOpen(options);
}

std::unique_ptr<Database> MustConnect(const ScratchDirectory& directory) {
  absl::StatusOr<std::unique_ptr<Database>> db =
      Database::Open(directory.Database(), Database::Mode::kReadWrite);
  if (!db.ok()) {
    ADD_FAILURE() << db.status();
    std::abort();
  }
  return *std::move(db);
}

MachineRecord MachineNamed(const std::string& name) {
  MachineRecord machine;
  machine.name = name;
  machine.nodes = 4;
  machine.cores_per_node = 8;
  machine.topology_kind = "torus";
  machine.topology_dims = "2x2";
  return machine;
}

ObservationBatch BatchOf(const std::string& machine, const std::string& job, int64_t sequence,
                         int64_t rows, int64_t block_bytes) {
  ObservationBatch batch;
  batch.job = job;
  batch.sequence = sequence;
  for (int64_t i = 0; i < rows; ++i) {
    ObservationRecord row;
    row.scenario.machine = machine;
    row.scenario.library = "openmpi-4.1";
    row.scenario.collective = "alltoall";
    row.scenario.algorithm = "pairwise";
    row.scenario.nodes = 4;
    row.scenario.ppn = 8;
    row.scenario.ranks = 32;
    row.scenario.block_bytes = block_bytes;
    row.time_s = 1e-6 * static_cast<double>(i + 1);
    row.at_us = 1'700'000'000'000'000 + i;
    batch.observations.push_back(std::move(row));
  }
  return batch;
}

std::future<absl::StatusOr<AppendResult>> AppendLater(Store& store, ObservationBatch batch) {
  auto outcome = std::make_shared<std::promise<absl::StatusOr<AppendResult>>>();
  store.AppendObservations(std::move(batch), [outcome](absl::StatusOr<AppendResult> result) {
    outcome->set_value(std::move(result));
  });
  return outcome->get_future();
}

absl::StatusOr<AppendResult> Append(Store& store, ObservationBatch batch) {
  return AppendLater(store, std::move(batch)).get();
}

void DamageObservations(const ScratchDirectory& directory) {
  std::vector<int64_t> pages;
  {
    const std::unique_ptr<Database> db = MustConnect(directory);
    Query query(*db, "SELECT pageno FROM dbstat WHERE name = 'observation' AND pagetype = 'leaf'");
    while (query.Next()) pages.push_back(query.Int(0));
  }
  EXPECT_GT(pages.size(), 4u);
  constexpr int64_t kPageBytes = 4096;
  std::fstream file(directory.Database(), std::ios::binary | std::ios::in | std::ios::out);
  // The last one takes the next row.
  for (size_t i = 1; i + 2 < pages.size(); i += 2) {
    file.seekp((pages[i] - 1) * kPageBytes);
    file << std::string(kPageBytes, '\xa5');
  }
}

std::string Ask(Database& db, absl::string_view sql) {
  Query query(db, sql);
  return query.Next() ? query.Text(0) : "";
}

}  // namespace cox::store
