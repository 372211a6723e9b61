// The effect of recording a drift on the cells, and on writes at the same time.
#include "domain/drift.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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

// Its reports are gone in the transaction, which is not committed yet.
TEST_P(DriftTest, HasNothingOfAJobThatIsBeingForgotten) {
  std::atomic<bool> is_armed{false};
  std::promise<void> removed;
  const auto now_us = [&] {
    // A forget takes the time for its audit record.
    if (is_armed.exchange(false)) {
      removed.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    return RealSurroundings().now_us();
  };
  const std::unique_ptr<Store> store = Open(Options(), now_us);
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  for (const char* const job : {"gone", "stays"}) {
    ObservationBatch batch = OnOneNode(1, 10);
    batch.job = job;
    ASSERT_TRUE(Append(*store, batch).ok());
  }
  is_armed = true;
  auto forgotten = std::async(std::launch::async, [&] {
    return store->Forget({Reporter::Kind::kJob, "gone"}).status();
  });
  removed.get_future().wait();
  const auto drift = store->AddDrift(DriftSince(1, 20));
  ASSERT_TRUE(drift.ok()) << drift.status();
  ASSERT_TRUE(forgotten.get().ok());
  using Counts = std::map<int64_t, int64_t>;
  EXPECT_EQ(CountByEpoch(*store), (Counts{{1, 10}}));
}

ObservationBatch By(const std::string& job, int64_t rows = 10, int64_t nodes = 1) {
  ObservationBatch batch = OnOneNode(1, rows);
  batch.job = job;
  for (ObservationRecord& row : batch.observations) row.scenario.nodes = nodes;
  return batch;
}

std::vector<int64_t> LastIds(Store& store) {
  std::vector<int64_t> ids;
  const auto drifts = store.ListDrifts("m", 0, 100);
  for (const domain::Drift& drift : *drifts) ids.insert(ids.begin(), drift.last_id);
  return ids;
}
using Ids = std::vector<int64_t>;

// And takes along the later ones, which learning finds again.
TEST_P(DriftTest, GoesWithItsEvidence) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  for (const char* const job : {"a", "b", "c", "d"}) ASSERT_TRUE(Append(*store, By(job)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(5, 10)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(18, 22)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(35, 40)).ok());
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "c"}).ok());
  EXPECT_EQ(LastIds(*store), (Ids{10}));
  EXPECT_EQ(store->GetMachine("m")->relearn_from_id, 18) << "where to look for them again";
  using Counts = std::map<int64_t, int64_t>;
  EXPECT_EQ(CountByEpoch(*store), (Counts{{0, 4}, {1, 26}}));
}

TEST_P(DriftTest, StaysWhenOtherReportsGo) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, By("before")).ok());
  ASSERT_TRUE(Append(*store, By("with")).ok());
  ASSERT_TRUE(Append(*store, By("another level", 10, 2)).ok());
  ASSERT_TRUE(Append(*store, By("with too")).ok());
  ASSERT_TRUE(Append(*store, By("after")).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(11, 40)).ok());
  for (const char* const job : {"before", "another level", "after"}) {
    EXPECT_EQ(store->Forget({Reporter::Kind::kJob, job})->removed_count, 10);
    EXPECT_EQ(LastIds(*store), (Ids{40})) << job;
  }
  EXPECT_EQ(store->GetMachine("m")->relearn_from_id, 51) << "there is nothing to look for";
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "with too"}).ok());
  EXPECT_TRUE(LastIds(*store).empty());
  EXPECT_EQ(store->GetMachine("m")->relearn_from_id, 11);
}

// Their rows are gone, so nobody can find it again.
TEST_P(DriftTest, StaysWhenTheRestOfItsEvidenceIsInSums) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  for (const char* const job : {"a", "b", "c"}) ASSERT_TRUE(Append(*store, By(job)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(5, 20)).ok());
  ASSERT_TRUE(store->AddDrift(DriftSince(23, 28)).ok());
  const auto summed = store->SumUpOld("m", {.before_us = INT64_MAX, .through_id = 25});
  ASSERT_EQ(summed->observation_count, 25);
  ASSERT_EQ(store->Forget({Reporter::Kind::kJob, "a"})->removed_count, 10);
  EXPECT_EQ(LastIds(*store), (Ids{20, 28}));
  ASSERT_EQ(store->Forget({Reporter::Kind::kJob, "b"})->removed_count, 10);
  EXPECT_EQ(LastIds(*store), (Ids{28})) << "nothing of the first is left";
}

COX_ON_EACH_ENGINE(DriftTest);

}  // namespace
}  // namespace cox::store
