// Forgetting a reporter of many rows while the daemon ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "domain/drift.h"
#include "engine.h"
#include "scratch.h"

namespace cox::store {
namespace {

class ForgetTest : public StoreTest {};

TEST_P(ForgetTest, TheEndCancelsItAndAllStays) {
  std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  constexpr int64_t kRows = 20'000;
  ASSERT_TRUE(Append(*store, BatchOf("m", "long", 1, kRows)).ok());
  const Reporter reporter = {Reporter::Kind::kJob, "long"};
  store->CancelLongWork();
  const auto cancelled = store->Forget(reporter);
  EXPECT_TRUE(absl::IsCancelled(cancelled.status())) << cancelled.status();
  EXPECT_TRUE(Append(*store, BatchOf("m", "short", 1, 10)).ok()) << "writes go on";
  store.reset();

  store = Open();
  EXPECT_EQ(store->CountObservations({})->observation_count, kRows + 10);
  int64_t in_cells = 0;
  const auto cells = store->ListCells("m");
  for (const CellRecord& cell : *cells) in_cells += cell.cell.observation_count;
  EXPECT_EQ(in_cells, kRows + 10);
  EXPECT_EQ(store->Forget(reporter)->removed_count, kRows);
}

// Until a profile is learned without what was removed; also of a machine that is deleted meanwhile.
TEST_P(ForgetTest, NotesFromWhereToLearnAgain) {
  const std::unique_ptr<Store> store = Open();
  for (const char* const name : {"m", "rests", "untouched"}) {
    ASSERT_TRUE(store->CreateMachine(MachineNamed(name), "").ok());
  }
  ASSERT_TRUE(Append(*store, BatchOf("m", "keep", 1, 10)).ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "first", 1, 10)).ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "second", 1, 10)).ok());
  ASSERT_TRUE(Append(*store, BatchOf("rests", "second", 2, 10)).ok());
  ASSERT_TRUE(store->DeleteMachine("rests").ok());
  const auto from_id = [&](const char* name) { return store->GetMachine(name)->relearn_from_id; };
  EXPECT_EQ(from_id("m"), 0);
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "second"}).ok());
  EXPECT_EQ(from_id("m"), 41) << "the next id: no drift and no withdrawal went";
  EXPECT_EQ(from_id("untouched"), 0);
  ASSERT_TRUE(store->UndeleteMachine("rests", {}).ok());
  EXPECT_EQ(from_id("rests"), 41);
  domain::Drift drift;
  drift.machine = "m";
  drift.scope.level = domain::Level::kNetwork;
  drift.first_id = 11;
  drift.last_id = 20;
  drift.observation_count = 10;
  ASSERT_TRUE(store->AddDrift(drift).ok());
  ASSERT_TRUE(store->Forget({Reporter::Kind::kJob, "first"}).ok());
  EXPECT_EQ(from_id("m"), 11) << "the least of both";

  ProfileRecord profile{.machine = "m", .provenance = "edited", .note = "", .parameters = {}};
  ASSERT_TRUE(store->AddProfile(profile, "").ok());
  EXPECT_EQ(from_id("m"), 11) << "a person has set it";
  profile.provenance = "refined";
  profile.relearned_from_id = 41;
  ASSERT_TRUE(store->AddProfile(profile, "").ok());
  EXPECT_EQ(from_id("m"), 11) << "more was removed meanwhile";
  profile.relearned_from_id = 11;
  ASSERT_TRUE(store->AddProfile(profile, "").ok());
  EXPECT_EQ(from_id("m"), 0);
  EXPECT_EQ(store->ListMachines("", 10)->at(1).relearn_from_id, 41);
}

COX_ON_EACH_ENGINE(ForgetTest);

}  // namespace
}  // namespace cox::store
