// Forgetting a reporter of many rows while the daemon ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

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

COX_ON_EACH_ENGINE(ForgetTest);

}  // namespace
}  // namespace cox::store
