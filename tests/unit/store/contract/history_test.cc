// Summaries of what the store holds: machine states, jobs, buckets of observations.
#include "store/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine.h"
#include "scratch.h"
#include "store/limits.h"

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSecond = 1'000'000;

class HistoryTest : public StoreTest {
 protected:
  void SetUp() override {
    for (const char* const name : {"m", "n"}) {
      ASSERT_TRUE(store_->CreateMachine(MachineNamed(name), "").ok());
    }
  }

  // A batch whose rows were measured a second apart, from `begin_us` on.
  void Report(ObservationBatch batch, int64_t begin_us) {
    for (ObservationRecord& row : batch.observations) {
      row.at_us = begin_us;
      begin_us += kSecond;
    }
    const auto result = Append(*store_, std::move(batch));
    ASSERT_TRUE(result.ok()) << result.status();
  }
  std::vector<std::string> JobNames(const JobFilter& filter, int64_t before = 0,
                                    int64_t limit = 10) {
    const auto jobs = store_->ListJobs(filter, before, limit, {});
    EXPECT_TRUE(jobs.ok()) << jobs.status();
    std::vector<std::string> names;
    if (jobs.ok()) {
      for (const JobRecord& job : *jobs) names.push_back(job.name);
    }
    return names;
  }
  Summary Summarize(SummaryFilter filter) {
    if (filter.newest == 0) filter.newest = 1'000;
    auto summary = store_->Summarize(filter, {});
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.ok() ? *std::move(summary) : Summary{};
  }

  std::unique_ptr<Store> store_ = Open();
};

TEST_P(HistoryTest, AMachineThatNeverReportedHasAnEmptyState) {
  const auto states = store_->ListMachineStates("", 10);
  ASSERT_TRUE(states.ok()) << states.status();
  ASSERT_THAT(*states, SizeIs(2));
  EXPECT_EQ((*states)[0].machine.name, "m");
  EXPECT_EQ((*states)[0].revision, 0);
  EXPECT_EQ((*states)[0].count.observation_count, 0);
  EXPECT_FALSE((*states)[0].last_observation_time_us.has_value());
  EXPECT_FALSE((*states)[0].last_drift.has_value());
  EXPECT_THAT(*store_->ListMachineStates("m", 10), SizeIs(1));
  EXPECT_THAT(*store_->ListMachineStates("", 1), SizeIs(1));
}

TEST_P(HistoryTest, AStateSaysWhatHappenedToItsMachineOnly) {
  ObservationBatch batch = BatchOf("m", "job-a", 0, 3);
  batch.dropped_count = 7;
  Report(batch, 100 * kSecond);
  Report(BatchOf("m", "job-b", 0, 2), 50 * kSecond);
  Report(BatchOf("m", "", 0, 1), 60 * kSecond);
  Report(BatchOf("n", "job-a", 1, 4), 200 * kSecond);
  ProfileRecord profile;
  profile.machine = "m";
  profile.provenance = "imported";
  ASSERT_TRUE(store_->AddProfile(profile, "").ok());
  const auto second = store_->AddProfile(profile, "");
  ASSERT_TRUE(second.ok()) << second.status();

  const MachineState state = store_->ListMachineStates("", 1)->front();
  EXPECT_EQ(state.count.observation_count, 6);
  EXPECT_EQ(state.count.dropped_count, 7);
  EXPECT_EQ(state.job_count, 2);                            // imports without a name are no job
  EXPECT_EQ(state.last_observation_time_us, 60 * kSecond);  // the last stored one
  EXPECT_EQ(state.revision, 2);
  EXPECT_EQ(state.profile_time_us, second->create_time_us);
  const MachineState uncounted =
      store_->ListMachineStates("", 1, StateDetail::kWithoutReports, {})->front();
  EXPECT_EQ(uncounted.revision, 2);
  EXPECT_EQ(uncounted.last_observation_time_us, 60 * kSecond);
  EXPECT_EQ(uncounted.count.observation_count, 0);
  EXPECT_EQ(uncounted.job_count, 0);
  ASSERT_TRUE(store_->PinProfile("m", 1).ok());
  EXPECT_EQ(store_->ListMachineStates("", 1)->front().revision, 1);
}

TEST_P(HistoryTest, JobsComeLatestFirstInPages) {
  Report(BatchOf("m", "a", 0, 2), 10 * kSecond);
  Report(BatchOf("m", "b", 0, 2), 20 * kSecond);
  Report(BatchOf("n", "a", 1, 1), 30 * kSecond);
  Report(BatchOf("m", "", 0, 5), 40 * kSecond);
  EXPECT_THAT(JobNames({}), ElementsAre("a", "b"));
  EXPECT_THAT(JobNames({.machine = "n"}), ElementsAre("a"));
  const auto first = store_->ListJobs({}, 0, 1, {});
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_THAT(*first, SizeIs(1));
  const JobRecord& job = first->front();
  EXPECT_THAT(job.machines, ElementsAre("m", "n"));
  EXPECT_EQ(job.count.observation_count, 3);
  EXPECT_EQ(job.first_time_us, 10 * kSecond);
  EXPECT_EQ(job.last_time_us, 30 * kSecond);
  EXPECT_THAT(JobNames({}, job.last_batch_id, 1), ElementsAre("b"));
  EXPECT_TRUE(absl::IsNotFound(store_->ListJobs({.machine = "x"}, 0, 1, {}).status()));
}

TEST_P(HistoryTest, JobsOfAPeriodOverlapIt) {
  Report(BatchOf("m", "early", 0, 3), 10 * kSecond);  // 10 s, 11 s, 12 s
  Report(BatchOf("m", "late", 0, 3), 20 * kSecond);
  EXPECT_THAT(JobNames({.machine = "", .start_time_us = 12 * kSecond}),
              ElementsAre("late", "early"));
  EXPECT_THAT(JobNames({.machine = "", .start_time_us = 12 * kSecond + 1}), ElementsAre("late"));
  EXPECT_THAT(JobNames({.machine = "", .start_time_us = {}, .end_time_us = 20 * kSecond}),
              ElementsAre("early"));
}

// The agents of a job on several nodes report as JOB@NODE.
TEST_P(HistoryTest, AJobOfSeveralNodesIsOneJob) {
  Report(BatchOf("m", "app@1@n1", 0, 2), 10 * kSecond);
  Report(BatchOf("m", "other", 0, 1), 20 * kSecond);
  Report(BatchOf("n", "app@1@n2", 0, 3), 30 * kSecond);
  Report(BatchOf("m", "app@1@n1", 1, 1), 40 * kSecond);
  Report(BatchOf("m", "app", 0, 1), 50 * kSecond);
  EXPECT_THAT(JobNames({}), ElementsAre("app", "app@1", "other"));
  const auto jobs = store_->ListJobs({}, 0, 10, {});
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  const JobRecord& job = (*jobs)[1];
  EXPECT_THAT(job.machines, ElementsAre("m", "n"));
  EXPECT_EQ(job.count.observation_count, 6);
  EXPECT_EQ(job.reporter_count, 2);
  EXPECT_EQ(job.first_time_us, 10 * kSecond);
  EXPECT_EQ(job.last_time_us, 40 * kSecond);
  EXPECT_THAT(JobNames({}, job.last_batch_id), ElementsAre("other"));
  EXPECT_THAT(JobNames({.machine = "", .start_time_us = {}, .end_time_us = 15 * kSecond}),
              ElementsAre("app@1"));

  const auto count = [&](const std::string& machine, const std::string& name) {
    int64_t found = 0;
    for (const SummaryRow& row : Summarize({.reporter = {.machine = machine, .job = name}}).rows) {
      found += row.cell.observation_count;
    }
    return found;
  };
  EXPECT_EQ(count("", "app@1"), 6);
  EXPECT_EQ(count("m", "app@1"), 3);
  EXPECT_EQ(count("", "app@1@n2"), 3);
  EXPECT_EQ(count("", "app"), 1);
  const auto states = store_->ListMachineStates("", 10);
  ASSERT_TRUE(states.ok()) << states.status();
  EXPECT_EQ((*states)[0].job_count, 3);
}

TEST_P(HistoryTest, AForgottenJobIsNoJob) {
  Report(BatchOf("m", "a", 0, 2), 0);
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "a"}).ok());
  EXPECT_THAT(JobNames({}), IsEmpty());
}

TEST_P(HistoryTest, SumsUpByScenarioAndBucket) {
  Report(BatchOf("m", "a", 0, 4, 64), 0);  // 1 us .. 4 us at 0 s .. 3 s
  Report(BatchOf("m", "b", 0, 1, 128), 3 * kSecond);
  const Summary all = Summarize({.reporter = {.machine = "m", .job = ""}});
  ASSERT_THAT(all.rows, SizeIs(2));
  EXPECT_EQ(all.rows[0].scenario.block_bytes, 64);
  EXPECT_EQ(all.rows[0].cell.observation_count, 4);
  EXPECT_NEAR(all.rows[0].total_time_s, 10e-6, 1e-12);
  EXPECT_FALSE(all.has_older);

  const Summary buckets =
      Summarize({.reporter = {.machine = "m", .job = "a"}, .bucket_us = 2 * kSecond});
  ASSERT_THAT(buckets.rows, SizeIs(2));
  EXPECT_EQ(buckets.rows[0].start_time_us, 0);
  EXPECT_EQ(buckets.rows[1].start_time_us, 2 * kSecond);
  EXPECT_NEAR(buckets.rows[1].total_time_s, 7e-6, 1e-12);
}

TEST_P(HistoryTest, BucketsBefore1970BeginBelow) {
  Report(BatchOf("m", "a", 0, 1), -1);
  const Summary summary =
      Summarize({.reporter = {.machine = "m", .job = ""}, .bucket_us = kSecond});
  ASSERT_THAT(summary.rows, SizeIs(1));
  EXPECT_EQ(summary.rows[0].start_time_us, -kSecond);
}

TEST_P(HistoryTest, SumsUpOnlyWhatTheFilterNames) {
  ObservationBatch batch = BatchOf("m", "a", 0, 4);
  batch.source = "here";
  batch.observations[0].scenario.library = "mpich-4.0";
  batch.observations[1].scenario.collective = "bcast";
  batch.observations[2].scenario.algorithm = "other";
  const domain::ScenarioKey usual = batch.observations[3].scenario;
  Report(batch, 0);
  const auto count = [this](const SummaryFilter& filter) { return Summarize(filter).rows.size(); };
  const ObservationFilter machine = {.machine = "m", .job = ""};
  EXPECT_EQ(count({.reporter = machine}), 4u);
  EXPECT_EQ(count({.reporter = machine, .library = "mpich-4.0"}), 1u);
  EXPECT_EQ(count({.reporter = machine, .library = "", .collective = "bcast"}), 1u);
  EXPECT_EQ(count({.reporter = machine, .library = "", .collective = "", .algorithm = "other"}),
            1u);
  EXPECT_EQ(count({.reporter = machine, .library = usual.library}), 3u);
  SummaryFilter period = {.reporter = machine};
  period.start_time_us = kSecond;
  period.end_time_us = 3 * kSecond;
  EXPECT_EQ(count(period), 2u);
  EXPECT_EQ(count({.reporter = {.machine = "", .job = "", .source = "here"}}), 4u);
  EXPECT_EQ(count({.reporter = {.machine = "", .job = "", .source = "there"}}), 0u);
  EXPECT_EQ(count({.reporter = {.machine = "n", .job = "a"}}), 0u);
  EXPECT_EQ(count({.reporter = {.machine = "", .job = "unknown"}}), 0u);
  SummaryFilter unknown = {.reporter = {.machine = "x", .job = ""}};
  EXPECT_TRUE(absl::IsNotFound(store_->Summarize(unknown, {}).status()));
}

TEST_P(HistoryTest, ReadsTheNewestAndSaysThatThereAreOlder) {
  Report(BatchOf("m", "a", 0, 10, 64), 0);
  Report(BatchOf("m", "a", 1, 10, 128), 100 * kSecond);
  for (const char* job : {"", "a"}) {
    const Summary summary = Summarize({.reporter = {.machine = "m", .job = job}, .newest = 10});
    EXPECT_TRUE(summary.has_older) << job;
    ASSERT_THAT(summary.rows, SizeIs(1)) << job;
    EXPECT_EQ(summary.rows[0].scenario.block_bytes, 128) << job;
    EXPECT_FALSE(Summarize({.reporter = {.machine = "m", .job = job}, .newest = 20}).has_older);
  }
}

TEST_P(HistoryTest, StopsWhereThereAreTooManyRows) {
  for (int i = 0; i < 4; ++i) Report(BatchOf("m", "a", i, 10, 64 << i), i * 100 * kSecond);
  for (const char* job : {"", "a"}) {
    SummaryFilter filter = {.reporter = {.machine = "m", .job = job}};
    filter.most_rows = 2;
    const Summary summary = Summarize(filter);
    EXPECT_TRUE(summary.has_older) << job;
    ASSERT_THAT(summary.rows, SizeIs(2)) << job;
    EXPECT_EQ(summary.rows[0].scenario.block_bytes, 256) << job;
    EXPECT_EQ(summary.rows[1].scenario.block_bytes, 512) << job;
    filter.most_rows = 4;
    EXPECT_FALSE(Summarize(filter).has_older) << job;
  }
}

TEST_P(HistoryTest, StopsWhereAllIsFromBeforeThePeriod) {
  Report(BatchOf("m", "a", 0, 1, 64), 1'000'000 * kSecond);  // stored early, measured late
  for (int i = 1; i <= 4; ++i) Report(BatchOf("m", "a", i, kMostOlderRows / 4, 128), 0);
  Report(BatchOf("m", "a", 9, 1, 256), 1'000'000 * kSecond);
  SummaryFilter filter = {.reporter = {.machine = "m", .job = ""}};
  filter.newest = 2 * kMostOlderRows;
  EXPECT_THAT(Summarize(filter).rows, SizeIs(3));
  filter.start_time_us = 900'000 * kSecond;
  const Summary summary = Summarize(filter);
  ASSERT_THAT(summary.rows, SizeIs(1));
  EXPECT_EQ(summary.rows[0].scenario.block_bytes, 256);
  EXPECT_TRUE(summary.has_older);
}

TEST_P(HistoryTest, HidesADeletedMachine) {
  Report(BatchOf("m", "a", 0, 3), 0);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  EXPECT_THAT(*store_->ListMachineStates("", 10), SizeIs(1));
  EXPECT_THAT(JobNames({}), IsEmpty());
  EXPECT_THAT(Summarize({.reporter = {.machine = "", .job = "a"}}).rows, IsEmpty());
}

COX_ON_EACH_ENGINE(HistoryTest);

}  // namespace
}  // namespace cox::store
