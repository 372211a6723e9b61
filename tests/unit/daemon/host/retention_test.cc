#include "daemon/host/retention.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "daemon/wall_clock.h"
#include "store/sqlite/sqlite_store.h"

namespace cox::daemon {
namespace {

constexpr int64_t kHour_us = 3'600'000'000;

class RetentionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "/retention-XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    store::StoreOptions options;
    options.directory = directory_;
    store::Surroundings surroundings = store::RealSurroundings();
    surroundings.now_us = [this] { return NowMicros() + later_us_; };
    store_ = *store::OpenSqliteIn(options, surroundings);
    for (const char* name : {"a", "b"}) {
      store::MachineRecord machine;
      machine.name = name;
      machine.nodes = machine.cores_per_node = 4;
      ASSERT_TRUE(store_->CreateMachine(machine, "").ok());
    }
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  // Rows of a machine, an hour apart, the last one measured now, or so much later.
  void Report(const std::string& machine, int64_t rows, const std::string& job = "",
              int64_t later_us = 0) {
    store::ObservationBatch batch;
    batch.job = job;
    for (int64_t i = 0; i < rows; ++i) {
      store::ObservationRecord& row = batch.observations.emplace_back();
      row.scenario = {.machine = machine,
                      .library = "openmpi-4.1",
                      .collective = "bcast",
                      .algorithm = "binomial",
                      .nodes = 2,
                      .ppn = 2,
                      .ranks = 4,
                      .block_bytes = 64};
      row.time_s = 1e-6;
      row.at_us = NowMicros() + later_us - (rows - 1 - i) * kHour_us;
    }
    std::promise<absl::Status> done;
    store_->AppendObservations(std::move(batch), [&](absl::StatusOr<store::AppendResult> result) {
      done.set_value(result.status());
    });
    ASSERT_TRUE(done.get_future().get().ok());
  }
  // A row each, as the agents of short jobs report.
  void ReportJobs(const std::string& machine, int jobs) {
    for (int i = 0; i < jobs; ++i) Report(machine, 1, absl::StrCat("job", i));
  }
  size_t RowCount(const std::string& machine) {
    return store_->ListObservations({.machine = machine, .job = {}}, 0, 100'000)->size();
  }

  static NeededRows NothingIsNeeded(const std::string& /*machine*/) {
    return {.after_id = 1'000, .unread_after_id = 1'000};
  }

  std::string directory_;
  std::atomic<int64_t> later_us_{0};
  std::unique_ptr<store::Store> store_;
};

TEST_F(RetentionTest, WhatNoRevisionContainsGoesOnlyIfRowsAreTooMany) {
  Report("a", 100);
  const auto is_held_back = [](const std::string& /*machine*/) {
    return NeededRows{.after_id = 10, .unread_after_id = 1'000};
  };
  Retention by_age(store_.get(), {.age_s = 3'600 * 49.5, .machine_bytes = 0}, is_held_back);
  EXPECT_EQ(*by_age.RunOnce(), 10);
  EXPECT_EQ(RowCount("a"), 90u);
  Retention by_both(store_.get(), {.age_s = 3'600 * 49.5, .machine_bytes = 61 * kRowBytes},
                    is_held_back);
  EXPECT_GT(*by_both.RunOnce(), 20);
}

TEST_F(RetentionTest, RowsOfTheFutureKeepNoOldOnes) {
  Report("a", 2'100, "ahead", 2'200 * kHour_us);
  Report("a", 100);
  Retention by_age(store_.get(), {.age_s = 49.5 * 3'600, .machine_bytes = 0},
                   [](const std::string& /*machine*/) {
                     return NeededRows{.after_id = 10'000, .unread_after_id = 10'000};
                   });
  EXPECT_EQ(*by_age.RunOnce(), 50);
  EXPECT_EQ(RowCount("a"), 2'150U);
  // The next run begins with the first row again.
  Report("a", 100, "late");
  EXPECT_EQ(*by_age.RunOnce(), 50);
}

TEST_F(RetentionTest, SumsUpWhatIsOldOrTooMuchOfEachMachine) {
  Report("a", 100);
  Report("b", 30);
  Retention by_age(store_.get(), {.age_s = 49.5 * 3'600, .machine_bytes = 0}, NothingIsNeeded);
  EXPECT_EQ(*by_age.RunOnce(), 50);
  EXPECT_EQ(RowCount("a"), 50U);
  EXPECT_EQ(RowCount("b"), 30U);
  // The sums of "a" count, too; "b" has room for rows in their place.
  const int64_t sum_bytes = *store_->CountOldSums("a") * kSumBytes;
  const int64_t more_rows = sum_bytes / kRowBytes;
  ASSERT_GT(more_rows, 0);
  Retention by_size(store_.get(), {.age_s = 0, .machine_bytes = 10 * kRowBytes + sum_bytes},
                    NothingIsNeeded);
  EXPECT_EQ(*by_size.RunOnce(), 60 - more_rows);
  EXPECT_EQ(RowCount("a"), 10U);
  EXPECT_EQ(RowCount("b"), static_cast<size_t>(10 + more_rows));
  EXPECT_EQ(store_->CountObservations({})->observation_count, 130);
}

TEST_F(RetentionTest, ADamagedMachineDoesNotKeepTheOthersRows) {
  Report("a", 50);
  Retention by_age(store_.get(), {.age_s = 24.5 * 3'600}, NothingIsNeeded);
  ASSERT_EQ(*by_age.RunOnce(), 25);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory_ + "/coxswain.db").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "UPDATE old_sum SET bins = x'ff'", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  Report("a", 50);
  Report("b", 50);
  EXPECT_EQ(*by_age.RunOnce(), 25);
  EXPECT_EQ(RowCount("b"), 25U);
}

// Of the last hour all; before that the last one of each hour, until the age.
TEST_F(RetentionTest, KeepsFewRefinedRevisions) {
  const auto revisions = [&] { return store_->ListProfiles("a", 0, 1'000)->size(); };
  store::ProfileRecord profile;
  profile.machine = "a";
  profile.provenance = "calibrated";
  ASSERT_TRUE(store_->AddProfile(profile, "").ok());
  profile.provenance = "refined";
  profile.note = "learned from 10 observations";
  constexpr int kOfAnHour = 300;
  for (int hours = 5; hours >= 0; hours -= 5) {
    // In the middle of an hour.
    later_us_ = NowMicros() / kHour_us * kHour_us + kHour_us / 2 - NowMicros() - hours * kHour_us;
    for (int i = 0; i < kOfAnHour; ++i) ASSERT_TRUE(store_->AddProfile(profile, "").ok());
  }
  Retention young(store_.get(), {}, NothingIsNeeded);
  EXPECT_EQ(*young.RemoveRevisions(), kOfAnHour - 1);
  EXPECT_EQ(revisions(), 1U + 1 + kOfAnHour);
  Retention old(store_.get(), {.age_s = 4 * 3'600}, NothingIsNeeded);
  EXPECT_EQ(*old.RemoveRevisions(), 1);
  EXPECT_EQ(revisions(), 1U + kOfAnHour);
}

TEST_F(RetentionTest, KeepsWhatIsNeeded) {
  Report("a", 100);
  Retention retention(
      store_.get(), {.age_s = 0, .machine_bytes = kRowBytes}, [](const std::string& machine) {
        return machine == "a" ? NeededRows{.after_id = 40, .unread_after_id = 40} : NeededRows{};
      });
  EXPECT_EQ(*retention.RunOnce(), 40);
  EXPECT_EQ(RowCount("a"), 60U);
}

TEST_F(RetentionTest, SumsCountInTheSize) {
  constexpr int kJobs = 40;
  ReportJobs("a", kJobs);
  Retention by_age(store_.get(), {.age_s = 1e-6}, NothingIsNeeded);
  ASSERT_EQ(*by_age.RunOnce(), kJobs);
  ASSERT_EQ(*store_->CountOldSums("a"), kJobs);
  Report("a", 100);
  Retention by_size(store_.get(), {.machine_bytes = kJobs * kSumBytes + 10 * kRowBytes},
                    NothingIsNeeded);
  EXPECT_EQ(*by_size.RunOnce(), 90);
  EXPECT_EQ(RowCount("a"), 10U);
}

TEST_F(RetentionTest, JobsMergeAtTheirAgeAndEarlierIfTheirSumsAreMany) {
  constexpr int kJobs = 40;
  constexpr double kDay_s = 86'400;
  constexpr double kYear_s = 365 * kDay_s;
  ReportJobs("a", kJobs);
  Retention by_age(store_.get(), {.age_s = 1e-6, .job_age_s = kYear_s}, NothingIsNeeded);
  Retention too_many(store_.get(),
                     {.age_s = 1e-6, .machine_bytes = kJobs * kSumBytes, .job_age_s = kYear_s},
                     NothingIsNeeded);
  ASSERT_EQ(*by_age.RunOnce(), kJobs);
  EXPECT_EQ(*by_age.MergeJobs(), 0);
  ASSERT_EQ(*too_many.RunOnce(), 0);
  EXPECT_EQ(*too_many.MergeJobs(), 0) << "a client may send these again";
  later_us_ = static_cast<int64_t>((kLeastJobAge_s + kDay_s) * 1e6);
  EXPECT_EQ(*by_age.MergeJobs(), 0);
  EXPECT_EQ(*too_many.MergeJobs(), kJobs);
  EXPECT_EQ(*store_->CountOldSums("a"), 1);
  ReportJobs("a", kJobs);
  ASSERT_EQ(*by_age.RunOnce(), kJobs);
  later_us_ += static_cast<int64_t>(kDay_s * 1e6);
  EXPECT_EQ(*by_age.MergeJobs(), 0) << "the day's first look";
  later_us_ += static_cast<int64_t>((kYear_s + kDay_s) * 1e6);
  EXPECT_EQ(*by_age.MergeJobs(), kJobs);
  EXPECT_EQ(store_->CountObservations({})->observation_count, 2 * kJobs);
}

TEST_F(RetentionTest, EndsAtOnce) {
  Report("a", 10'000);
  Retention retention(store_.get(), {.age_s = 0, .machine_bytes = kRowBytes},
                      [](const std::string&) {
                        return NeededRows{.after_id = 100'000, .unread_after_id = 100'000};
                      });
  retention.Stop();
  EXPECT_EQ(retention.RunOnce().status().code(), absl::StatusCode::kCancelled);
  EXPECT_GT(RowCount("a"), 1'000U);
}

}  // namespace
}  // namespace cox::daemon
