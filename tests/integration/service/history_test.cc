// HistoryService: what dashboards ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using HistoryStub = v1::HistoryService::Stub;

// Observations of one scenario, with times 1 us, 2 us, ... measured a second apart from `begin_s`.
void Report(const Daemon& daemon, const std::string& machine, const std::string& job, int count,
            int64_t begin_s, const std::string& algorithm = "ring", int64_t block_bytes = 64) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(begin_s);
  request.set_source("user@host");
  request.set_await_learning(true);
  for (int i = 0; i < count; ++i) {
    v1::Observation* observation = request.add_observations();
    *observation = MakeObservation(machine, 0);
    observation->set_algorithm(algorithm);
    observation->set_block_bytes(block_bytes);
    observation->set_time_s(1e-6 * (i + 1));
    observation->set_count(10);
    observation->mutable_at()->set_seconds(begin_s + i);
  }
  v1::ReportObservationsResponse response;
  const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                   daemon.Observations(), request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

TEST(History, ListsMachinesWithTheirStateInPages) {
  Daemon daemon;
  daemon.Register("alpha");
  daemon.Register("beta");
  daemon.SetProfile("beta", {{"hockney", "network", "alpha", 1e-6},
                             {"hockney", "network", "beta", 1e-9},
                             {"hockney", "node", "alpha", 1e-6},
                             {"hockney", "node", "beta", 1e-9}});
  Report(daemon, "beta", "job.1", 3, 1'700'000'000);
  const auto stub = daemon.History();
  v1::ListMachineStatesRequest request;
  request.set_page_size(1);
  v1::ListMachineStatesResponse page;
  ASSERT_TRUE(Call(&HistoryStub::ListMachineStates, stub, request, &page).ok());
  ASSERT_EQ(page.states_size(), 1);
  EXPECT_EQ(page.states(0).name(), "machines/alpha");
  EXPECT_EQ(page.states(0).profile_revision(), 0);
  EXPECT_FALSE(page.states(0).has_last_observation_time());
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(Call(&HistoryStub::ListMachineStates, stub, request, &page).ok());
  ASSERT_EQ(page.states_size(), 1);
  EXPECT_EQ(page.next_page_token(), "");
  const v1::MachineState& state = page.states(0);
  EXPECT_EQ(state.machine().name(), "machines/beta");
  EXPECT_GE(state.profile_revision(), 1);
  EXPECT_TRUE(state.has_profile_time());
  EXPECT_EQ(state.observation_count(), 3);
  EXPECT_EQ(state.job_count(), 1);
  EXPECT_EQ(state.last_observation_time().seconds(), 1'700'000'002);
}

TEST(History, ListsJobsOfAMachineAndOfAPeriod) {
  Daemon daemon;
  daemon.Register("alpha");
  daemon.Register("beta");
  Report(daemon, "alpha", "first", 2, 1'000);
  Report(daemon, "beta", "second", 2, 2'000);
  Report(daemon, "alpha", "third", 2, 3'000);
  const auto stub = daemon.History();
  const auto names = [&](const v1::ListJobsRequest& asked) {
    v1::ListJobsRequest request = asked;
    request.set_page_size(1);
    std::vector<std::string> found;
    do {
      v1::ListJobsResponse page;
      EXPECT_TRUE(Call(&HistoryStub::ListJobs, stub, request, &page).ok());
      for (const v1::Job& job : page.jobs()) found.push_back(job.name());
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    return found;
  };
  v1::ListJobsRequest request;
  EXPECT_THAT(names(request), ElementsAre("third", "second", "first"));
  request.set_machine("machines/alpha");
  EXPECT_THAT(names(request), ElementsAre("third", "first"));
  request.mutable_start_time()->set_seconds(2'000);
  EXPECT_THAT(names(request), ElementsAre("third"));
  request.clear_machine();
  request.mutable_end_time()->set_seconds(3'000);
  EXPECT_THAT(names(request), ElementsAre("second"));
  v1::ListJobsResponse page;
  ASSERT_TRUE(Call(&HistoryStub::ListJobs, stub, request, &page).ok());
  EXPECT_THAT(page.jobs(0).machines(), ElementsAre("machines/beta"));
  EXPECT_EQ(page.jobs(0).source(), "user@host");
  EXPECT_EQ(page.jobs(0).observation_count(), 2);
  EXPECT_EQ(page.jobs(0).first_time().seconds(), 2'000);
  EXPECT_EQ(page.jobs(0).last_time().seconds(), 2'001);
  EXPECT_EQ(page.jobs(0).reporter_count(), 1);
}

TEST(History, AJobOfTwoNodesIsOneJob) {
  Daemon daemon;
  daemon.Register("alpha");
  Report(daemon, "alpha", "wave@n1", 2, 1'000);
  Report(daemon, "alpha", "wave@n2", 3, 2'000);
  v1::ListJobsResponse jobs;
  ASSERT_TRUE(Call(&HistoryStub::ListJobs, daemon.History(), v1::ListJobsRequest(), &jobs).ok());
  ASSERT_EQ(jobs.jobs_size(), 1);
  EXPECT_EQ(jobs.jobs(0).name(), "wave");
  EXPECT_EQ(jobs.jobs(0).reporter_count(), 2);
  v1::SummarizeObservationsRequest request;
  request.set_job("wave");
  v1::SummarizeObservationsResponse summary;
  ASSERT_TRUE(Call(&HistoryStub::SummarizeObservations, daemon.History(), request, &summary).ok());
  ASSERT_EQ(summary.times_size(), 1);
  EXPECT_EQ(summary.times(0).observation_count(), 5);
}

TEST(History, ListsObservedTimesInOrderWithQuantiles) {
  Daemon daemon;
  daemon.Register("alpha");
  Report(daemon, "alpha", "job", 9, 1'000, "ring", 128);
  Report(daemon, "alpha", "job", 9, 2'000, "ring", 64);
  Report(daemon, "alpha", "", 9, 3'000, "linear", 64);
  const auto stub = daemon.History();
  v1::ListObservedTimesRequest request;
  request.set_machine("alpha");
  request.set_page_size(2);
  std::vector<v1::ObservedTimes> times;
  do {
    v1::ListObservedTimesResponse page;
    ASSERT_TRUE(Call(&HistoryStub::ListObservedTimes, stub, request, &page).ok());
    times.insert(times.end(), page.times().begin(), page.times().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].algorithm(), "linear");
  EXPECT_EQ(times[0].measurement(), v1::MEASUREMENT_BENCHMARK);
  EXPECT_EQ(times[1].block_bytes(), 64);
  EXPECT_EQ(times[1].measurement(), v1::MEASUREMENT_JOB);
  EXPECT_EQ(times[1].observation_count(), 9);
  EXPECT_NEAR(times[1].median_time_s(), 5e-6, 1e-7);
  EXPECT_LT(times[1].p10_time_s(), times[1].median_time_s());
  EXPECT_GT(times[1].p90_time_s(), times[1].median_time_s());
  request.set_nodes(3);
  v1::ListObservedTimesResponse none;
  ASSERT_TRUE(Call(&HistoryStub::ListObservedTimes, stub, request, &none).ok());
  EXPECT_EQ(none.times_size(), 0);
}

TEST(History, AScenarioThatComesBetweenTwoPagesMovesNoRow) {
  Daemon daemon;
  daemon.Register("alpha");
  for (const int64_t block_bytes : {64, 128, 256}) {
    Report(daemon, "alpha", "job", 1, block_bytes, "ring", block_bytes);
  }
  const auto stub = daemon.History();
  v1::ListObservedTimesRequest request;
  request.set_machine("alpha");
  request.set_page_size(1);
  std::vector<int64_t> listed;
  do {
    v1::ListObservedTimesResponse page;
    ASSERT_TRUE(Call(&HistoryStub::ListObservedTimes, stub, request, &page).ok());
    for (const v1::ObservedTimes& times : page.times()) listed.push_back(times.block_bytes());
    request.set_page_token(page.next_page_token());
    // Before all others, and before the next row.
    if (listed.size() == 1) Report(daemon, "alpha", "job", 1, 1'000, "linear", 8);
    if (listed.size() == 2) Report(daemon, "alpha", "job", 1, 2'000, "ring", 192);
  } while (!request.page_token().empty() && listed.size() < 9);
  EXPECT_THAT(listed, ElementsAre(64, 128, 192, 256));
  v1::ListObservedTimesResponse page;
  request.set_page_token("of another list");
  EXPECT_EQ(FieldOf(Call(&HistoryStub::ListObservedTimes, stub, request, &page)), "page_token");
}

TEST(History, SumsUpObservationsByTimeBucket) {
  Daemon daemon;
  daemon.Register("alpha");
  Report(daemon, "alpha", "job", 4, 1'000);
  v1::SummarizeObservationsRequest request;
  request.set_job("job");
  request.set_bucket_s(2);
  v1::SummarizeObservationsResponse response;
  ASSERT_TRUE(Call(&HistoryStub::SummarizeObservations, daemon.History(), request, &response).ok());
  ASSERT_EQ(response.times_size(), 2);
  EXPECT_FALSE(response.truncated());
  EXPECT_EQ(response.times(0).start_time().seconds(), 1'000);
  EXPECT_EQ(response.times(1).timing_count(), 20);
  EXPECT_NEAR(response.times(1).total_time_s(), 10 * 7e-6, 1e-12);
  request.set_bucket_s(0);
  ASSERT_TRUE(Call(&HistoryStub::SummarizeObservations, daemon.History(), request, &response).ok());
  ASSERT_EQ(response.times_size(), 1);
  EXPECT_FALSE(response.times(0).has_start_time());
}

TEST(History, WrongQuestionsNameTheField) {
  Daemon daemon;
  daemon.Register("alpha");
  const auto stub = daemon.History();
  const auto field = [&](const v1::SummarizeObservationsRequest& request) {
    v1::SummarizeObservationsResponse response;
    return FieldOf(Call(&HistoryStub::SummarizeObservations, stub, request, &response));
  };
  v1::SummarizeObservationsRequest request;
  request.set_machine("No machine!");
  EXPECT_EQ(field(request), "machine");
  request.clear_machine();
  for (const double bucket_s : {-1.0, 1e-6, 1e12, std::numeric_limits<double>::quiet_NaN()}) {
    request.set_bucket_s(bucket_s);
    EXPECT_EQ(field(request), "bucket_s") << bucket_s;
  }
  request.set_bucket_s(0);
  request.mutable_start_time()->set_seconds(10);
  request.mutable_end_time()->set_seconds(10);
  EXPECT_EQ(field(request), "end_time");
  v1::ListJobsRequest jobs;
  jobs.set_page_size(-1);
  v1::ListJobsResponse page;
  EXPECT_EQ(FieldOf(Call(&HistoryStub::ListJobs, stub, jobs, &page)), "page_size");
  jobs.set_page_size(1);
  jobs.set_machine("nowhere");
  EXPECT_EQ(Call(&HistoryStub::ListJobs, stub, jobs, &page).error_code(),
            grpc::StatusCode::NOT_FOUND);
  v1::ListObservedTimesRequest times;
  v1::ListObservedTimesResponse none;
  EXPECT_EQ(FieldOf(Call(&HistoryStub::ListObservedTimes, stub, times, &none)), "machine");
}

TEST(History, BatchEvaluateAnswersWhatIf) {
  Daemon daemon;
  daemon.Register("alpha");
  daemon.SetProfile("alpha", {{"hockney", "network", "alpha", 1e-6},
                              {"hockney", "network", "beta", 1e-9},
                              {"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-9}});
  v1::BatchEvaluateRequest request;
  request.set_machine("alpha");
  request.set_model("hockney");
  request.set_collective("bcast");
  request.add_strategies("bcast/binomial");
  request.add_ranks(4);
  request.set_ppn(1);
  request.add_block_bytes(0);
  using Advice = v1::AdviceService::Stub;
  v1::BatchEvaluateResponse as_it_is;
  ASSERT_TRUE(Call(&Advice::BatchEvaluate, daemon.Advice(), request, &as_it_is).ok());
  ASSERT_EQ(as_it_is.time_s_size(), 1);
  v1::WhatIf* change = request.add_what_if();
  change->set_parameter("hockney.network.alpha");
  change->set_factor(3);
  v1::BatchEvaluateResponse changed;
  ASSERT_TRUE(Call(&Advice::BatchEvaluate, daemon.Advice(), request, &changed).ok());
  ASSERT_EQ(changed.time_s_size(), 1);
  EXPECT_NEAR(changed.time_s(0), 3 * as_it_is.time_s(0), 1e-12);
  change->clear_change();
  EXPECT_THAT(FieldOf(Call(&Advice::BatchEvaluate, daemon.Advice(), request, &changed)),
              StartsWith("what_if[0]"));
}

}  // namespace
}  // namespace cox
