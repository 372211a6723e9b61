// The effect of recording a drift on the cells, and on writes at the same time.
#include "domain/drift.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>

#include "engine.h"
#include "scratch.h"

namespace cox::store {
namespace {

domain::Drift DriftSince(int64_t first_id, int64_t last_id) {
  domain::Drift drift;
  drift.machine = "m";
  drift.scope.level = domain::Level::kNode;
  drift.first_id = first_id;
  drift.last_id = last_id;
  drift.log_factor = 0.5;
  drift.observation_count = last_id - first_id + 1;
  return drift;
}

ObservationBatch OnOneNode(int64_t sequence, int64_t rows) {
  ObservationBatch batch = BatchOf("m", "job", sequence, rows);
  for (ObservationRecord& row : batch.observations) {
    row.scenario.nodes = 1;
    row.scenario.ppn = row.scenario.ranks = 2;
  }
  return batch;
}

std::map<int64_t, int64_t> CountByEpoch(Store& store) {
  std::map<int64_t, int64_t> counts;
  const auto cells = store.ListCells("m");
  if (!cells.ok()) return counts;
  for (const CellRecord& cell : *cells) counts[cell.epoch] += cell.cell.observation_count;
  return counts;
}

class DriftTest : public StoreTest {};

TEST_P(DriftTest, MovesWhatCameSinceToTheNextEpoch) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, OnOneNode(1, 10)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(4, 10)).ok());
  using Counts = std::map<int64_t, int64_t>;
  EXPECT_EQ(CountByEpoch(*store), (Counts{{0, 3}, {1, 7}}));
  ASSERT_TRUE(Append(*store, OnOneNode(2, 5)).ok());
  EXPECT_EQ(CountByEpoch(*store), (Counts{{0, 3}, {1, 12}}));
  ASSERT_TRUE(store->AddDrift(DriftSince(8, 15)).ok());
  EXPECT_EQ(CountByEpoch(*store), (Counts{{0, 3}, {1, 4}, {2, 8}}));
  // Another node level than the drift's: not touched.
  domain::Drift network = DriftSince(1, 15);
  network.scope.level = domain::Level::kNetwork;
  ASSERT_TRUE(store->AddDrift(network).ok());
  EXPECT_EQ(CountByEpoch(*store), (Counts{{0, 3}, {1, 4}, {2, 8}}));
}

TEST_P(DriftTest, IsFollowedByTheNextProfileOfOtherParameters) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(store->CreateMachine(MachineNamed("other"), "").ok());
  ASSERT_TRUE(Append(*store, OnOneNode(1, 10)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(4, 10)).ok());
  const auto is_followed = [&] { return store->ListDrifts("m", 0, 1)->front().is_followed; };
  EXPECT_FALSE(is_followed());
  ProfileRecord profile{.machine = "m", .provenance = "refined", .note = "", .parameters = {}};
  profile.follows_drifts = false;
  ASSERT_TRUE(store->AddProfile(profile, "").ok());
  EXPECT_FALSE(is_followed());
  profile.follows_drifts = true;
  profile.machine = "other";
  ASSERT_TRUE(store->AddProfile(profile, "").ok());
  EXPECT_FALSE(is_followed());
  profile.machine = "m";
  ASSERT_TRUE(store->AddProfile(profile, "").ok());
  EXPECT_TRUE(is_followed());
  ASSERT_TRUE(store->AddDrift(DriftSince(5, 10)).ok());
  EXPECT_FALSE(is_followed());
}

TEST_P(DriftTest, WritesGoOnWhileALongHistoryIsMoved) {
  constexpr int64_t kRows = 20'000;
  constexpr int kBatches = 6;
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  for (int i = 0; i < kBatches; ++i) ASSERT_TRUE(Append(*store, OnOneNode(i, kRows)).ok());
  std::future<absl::StatusOr<domain::Drift>> moved = std::async(
      std::launch::async, [&] { return store->AddDrift(DriftSince(1, kBatches * kRows)); });
  int written_meanwhile = 0;
  while (moved.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    ASSERT_TRUE(Append(*store, OnOneNode(kBatches + written_meanwhile, 1)).ok());
    ++written_meanwhile;
  }
  ASSERT_TRUE(moved.get().ok());
  // Behind a writer that sums up the history, only the first one or two would have come through.
  EXPECT_GE(written_meanwhile, 5);
  using Counts = std::map<int64_t, int64_t>;
  EXPECT_EQ(CountByEpoch(*store), (Counts{{1, kBatches * kRows + written_meanwhile}}));
}

COX_ON_EACH_ENGINE(DriftTest);

}  // namespace
}  // namespace cox::store
