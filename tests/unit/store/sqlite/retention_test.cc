// The file of SQLite after its old rows have gone.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "scratch.h"

namespace cox::store {
namespace {

TEST(SqliteRetentionTest, TheSpaceCanBeGivenBack) {
  const ScratchDirectory directory;
  const std::unique_ptr<Store> store = MustOpen(directory);
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  constexpr int64_t kRows = 60'000;
  ASSERT_TRUE(Append(*store, BatchOf("m", "a", 1, kRows)).ok());
  const int64_t after_us = BatchOf("m", "a", 1, kRows).observations.back().at_us + 1;
  bool has_more = true;
  while (has_more) {
    const auto step = store->SumUpOld("m", {.before_us = after_us, .through_id = kRows});
    ASSERT_TRUE(step.ok()) << step.status();
    has_more = step->has_more;
  }
  const FileFacts full = *store->ReadFileFacts();
  EXPECT_EQ(full.summed_count, kRows);
  ASSERT_GT(full.free_page_count, 0);
  ASSERT_TRUE(store->Compact({}).ok());
  const FileFacts compact = *store->ReadFileFacts();
  EXPECT_LT(compact.page_count, full.page_count / 4);
  EXPECT_TRUE(store->CheckContent({}).ok());
}

}  // namespace
}  // namespace cox::store
