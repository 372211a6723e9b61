// Observations stored per second, against a bare SQLite loop. Both are measured alternately, so
// that other work of the machine slows both down; reports the median of the pairs' ratios.
#include "store/store.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bare_sqlite.h"
#include "bench_line.h"
#include "scratch_directory.h"

namespace cox::bench {
namespace {

constexpr int64_t kRows = 200'000;
constexpr int64_t kScenarios = 200;
constexpr int kRounds = 7;
// Half of what the store takes before it refuses.
constexpr int64_t kRowsInFlight = 100'000;

std::vector<store::ObservationRecord> MakeRows() {
  std::vector<store::ObservationRecord> rows(kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    store::ObservationRecord& row = rows[i];
    row.scenario = {"m", "openmpi-4.1", "alltoall", "pairwise", 4, 8, 32, i % kScenarios, 4};
    row.time_s = 1e-6 * static_cast<double>(1 + i % 977);
    row.count = 1 + i % 50;
    row.stddev_s = 1e-8;
    row.at_us = 1'700'000'000'000'000 + i;
  }
  return rows;
}

// Rows per second, from the first batch to the last acknowledgement.
double StoreRate(const std::vector<store::ObservationRecord>& rows, int64_t batch_rows) {
  const ScratchDirectory directory;
  store::StoreOptions options;
  options.directory = directory.path();
  auto opened = store::OpenSqlite(options);
  if (!opened.ok()) std::abort();
  const std::unique_ptr<store::Store> store = *std::move(opened);
  store::MachineRecord machine;
  machine.name = "m";
  if (!store->CreateMachine(machine, "").ok()) std::abort();
  std::vector<store::ObservationBatch> batches;
  for (size_t i = 0; i < rows.size(); i += batch_rows) {
    store::ObservationBatch batch;
    batch.job = "job";
    batch.sequence = static_cast<int64_t>(i);
    batch.observations.assign(rows.begin() + i,
                              rows.begin() + std::min(rows.size(), i + batch_rows));
    batches.push_back(std::move(batch));
  }
  std::mutex mutex;
  std::condition_variable acknowledged;
  int64_t in_flight = 0;
  const auto start = std::chrono::steady_clock::now();
  for (store::ObservationBatch& batch : batches) {
    const auto size = static_cast<int64_t>(batch.observations.size());
    {
      std::unique_lock lock(mutex);
      acknowledged.wait(lock, [&] { return in_flight + size <= kRowsInFlight; });
      in_flight += size;
    }
    store->AppendObservations(std::move(batch),
                              [&, size](const absl::StatusOr<store::AppendResult>& result) {
                                if (!result.ok() || result->duplicate) std::abort();
                                const std::lock_guard lock(mutex);
                                in_flight -= size;
                                acknowledged.notify_one();
                              });
  }
  {
    std::unique_lock lock(mutex);
    acknowledged.wait(lock, [&] { return in_flight == 0; });
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<double>(rows.size()) / elapsed.count();
}

void Run(const std::vector<store::ObservationRecord>& rows, int64_t batch_rows) {
  std::vector<double> stored;
  std::vector<double> bare;
  for (int round = 0; round < kRounds; ++round) {
    const ScratchDirectory directory;
    bare.push_back(BareSqliteRate(directory.path() + "/bare.db", rows, kScenarios));
    stored.push_back(StoreRate(rows, batch_rows));
  }
  const std::string name = absl::StrCat("rows/s stored, batches of ", batch_rows);
  PrintAtLeast(name.c_str(), Median(stored), Median(bare), 0.5);
}

}  // namespace
}  // namespace cox::bench

int main() {
  const std::vector<cox::store::ObservationRecord> rows = cox::bench::MakeRows();
  for (const int64_t batch_rows : {20, 200, 2'000}) cox::bench::Run(rows, batch_rows);
  return 0;
}
