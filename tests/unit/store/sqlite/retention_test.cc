// The file of SQLite after its old rows have gone.
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "scratch.h"
#include "store/sqlite/retention/old_sums.h"

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

// Else a step holds up all writes for seconds where thousands of jobs call the same each day.
TEST(SqliteRetentionTest, ASumIsFoundWithoutThoseOfOtherJobs) {
  const ScratchDirectory directory;
  constexpr int64_t kJobs = 1'000;
  {
    const std::unique_ptr<Store> store = MustOpen(directory);
    ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
    std::vector<std::future<absl::StatusOr<AppendResult>>> appended;
    appended.reserve(kJobs);
    for (int64_t job = 0; job < kJobs; ++job) {
      appended.push_back(AppendLater(*store, BatchOf("m", absl::StrCat("job-", job), 1, 1)));
    }
    for (auto& outcome : appended) ASSERT_TRUE(outcome.get().ok());
  }
  const std::unique_ptr<Database> db = MustConnect(directory);
  const int64_t after_us = BatchOf("m", "a", 1, 1).observations.back().at_us + 1;
  const auto plan = PlanSumUp(*db, "m", {.before_us = after_us, .through_id = kJobs});
  ASSERT_TRUE(plan.ok()) << plan.status();
  // SQLite asks after each some thousand of its steps.
  int64_t question_count = 0;
  db->CancelWhen([&question_count] {
    ++question_count;
    return false;
  });
  ASSERT_TRUE(db->Execute("BEGIN").ok());
  const auto summed = SumUpOldRows(*db, "m", *plan, kJobs);
  ASSERT_TRUE(summed.ok()) << summed.status();
  ASSERT_TRUE(db->Execute("COMMIT").ok());
  db->CancelWhen({});
  EXPECT_EQ(summed->observation_count, kJobs);
  // With the sums of all jobs for each it would be more than 600.
  EXPECT_LT(question_count, 300);
}

}  // namespace
}  // namespace cox::store
