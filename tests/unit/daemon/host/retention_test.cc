#include "daemon/host/retention.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "daemon/wall_clock.h"

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
    store_ = *store::OpenSqlite(options);
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
  // Rows of a machine, an hour apart, the last one measured now.
  void Report(const std::string& machine, int64_t rows) {
    store::ObservationBatch batch;
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
      row.at_us = NowMicros() - (rows - 1 - i) * kHour_us;
    }
    std::promise<absl::Status> done;
    store_->AppendObservations(std::move(batch), [&](absl::StatusOr<store::AppendResult> result) {
      done.set_value(result.status());
    });
    ASSERT_TRUE(done.get_future().get().ok());
  }
  size_t RowCount(const std::string& machine) {
    return store_->ListObservations({.machine = machine, .job = {}}, 0, 100'000)->size();
  }

  std::string directory_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(RetentionTest, SumsUpWhatIsOldOrTooMuchOfEachMachine) {
  Report("a", 100);
  Report("b", 30);
  const auto nothing_is_needed = [](const std::string&) { return int64_t{1'000}; };
  Retention by_age(store_.get(), {.age_s = 49.5 * 3'600, .machine_bytes = 0}, nothing_is_needed);
  EXPECT_EQ(*by_age.RunOnce(), 50);
  EXPECT_EQ(RowCount("a"), 50U);
  EXPECT_EQ(RowCount("b"), 30U);
  Retention by_size(store_.get(), {.age_s = 0, .machine_bytes = 10 * kRowBytes}, nothing_is_needed);
  EXPECT_EQ(*by_size.RunOnce(), 60);
  EXPECT_EQ(RowCount("a"), 10U);
  EXPECT_EQ(RowCount("b"), 10U);
  EXPECT_EQ(store_->CountObservations({})->observation_count, 130);
}

TEST_F(RetentionTest, KeepsWhatIsNeeded) {
  Report("a", 100);
  Retention retention(store_.get(), {.age_s = 0, .machine_bytes = kRowBytes},
                      [](const std::string& machine) { return machine == "a" ? 40 : 0; });
  EXPECT_EQ(*retention.RunOnce(), 40);
  EXPECT_EQ(RowCount("a"), 60U);
}

TEST_F(RetentionTest, EndsAtOnce) {
  Report("a", 10'000);
  Retention retention(store_.get(), {.age_s = 0, .machine_bytes = kRowBytes},
                      [](const std::string&) { return int64_t{100'000}; });
  retention.Stop();
  EXPECT_EQ(retention.RunOnce().status().code(), absl::StatusCode::kCancelled);
  EXPECT_GT(RowCount("a"), 1'000U);
}

}  // namespace
}  // namespace cox::daemon
