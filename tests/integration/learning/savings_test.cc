// Canaries through the daemon: what tuning has saved, and the guard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cox/v1/history.grpc.pb.h"
#include "daemon.h"

namespace cox {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kBegin_s = 1'700'000'000;
// The benchmark's times: the algorithm is three times as fast as the default.
constexpr double kBenchmarkDefault_s = 3e-5;
constexpr double kBenchmarkFast_s = 1e-5;
constexpr double kJobDefault_s = 4e-5;

v1::Observation Timing(const std::string& machine, const std::string& algorithm, double time_s) {
  v1::Observation observation = MakeObservation(machine, 0);
  observation.set_library("site-mpi");
  observation.set_algorithm(algorithm);
  observation.set_block_bytes(1024);
  observation.set_time_s(time_s);
  observation.set_count(160);
  return observation;
}

void Send(const Daemon& daemon, const v1::ReportObservationsRequest& request) {
  v1::ReportObservationsResponse response;
  const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                   daemon.Observations(), request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

void ReportBenchmark(const Daemon& daemon, const std::string& machine) {
  v1::ReportObservationsRequest request;
  request.set_await_learning(true);
  for (int i = 0; i < 5; ++i) {
    *request.add_observations() = Timing(machine, "default", kBenchmarkDefault_s * (1 + 0.01 * i));
    *request.add_observations() = Timing(machine, "fast", kBenchmarkFast_s * (1 + 0.01 * i));
  }
  Send(daemon, request);
}

// Jobs on a machine, one after the other, of which one call in twenty is the default's.
class Jobs {
 public:
  Jobs(const Daemon& daemon, std::string machine, double factor)
      : factor(factor), daemon_(daemon), machine_(std::move(machine)) {}

  bool is_labelled = true;
  int64_t now_s = kBegin_s;
  std::string name = "job-";  // of each job, in front of its number
  double slowdown = 1;        // of all calls
  double factor;              // the algorithm's time in units of the default's

  // A job of two minutes that reports once a second, from two nodes.
  void Run() {
    ++job_;
    for (int second = 0; second < 120; ++second) {
      ++now_s;
      load_ += 0.002 * normal_(random_);
      for (const char* const node : {"n1", "n2"}) {
        v1::ReportObservationsRequest request;
        request.set_job(name + std::to_string(job_) + "@" + node);
        request.set_sequence(second);
        request.set_source("ada@login");
        request.set_await_learning(second == 119);
        Add("fast", kJobDefault_s * factor, 1440, "", &request);
        Add("fast", kJobDefault_s * factor, 80, is_labelled ? "peer" : "", &request);
        Add("default", kJobDefault_s, 80, is_labelled ? "canary" : "", &request);
        Send(daemon_, request);
      }
    }
    now_s += 60;
  }

 private:
  void Add(const std::string& algorithm, double time_s, int64_t count, const std::string& run,
           v1::ReportObservationsRequest* request) {
    v1::Observation* observation = request->add_observations();
    *observation =
        Timing(machine_, algorithm, slowdown * time_s * std::exp(load_ + 0.05 * normal_(random_)));
    observation->set_count(count);
    observation->set_run(run);
    observation->mutable_at()->set_seconds(now_s);
  }

  const Daemon& daemon_;
  const std::string machine_;
  std::mt19937 random_{11};
  std::normal_distribution<double> normal_;
  double load_ = 0;
  int job_ = 0;
};

v1::RecommendResponse Ask(const Daemon& daemon, const std::string& machine) {
  v1::RecommendRequest request;
  request.set_machine(machine);
  request.set_library("site-mpi");
  request.set_collective("allreduce");
  request.set_nodes(2);
  request.set_ppn(8);
  request.set_ranks(16);
  request.set_block_bytes(1024);
  v1::RecommendResponse response;
  const grpc::Status status =
      Call(&v1::AdviceService::Stub::Recommend, daemon.Advice(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

v1::GetSavingsResponse Savings(const Daemon& daemon, const v1::GetSavingsRequest& request) {
  v1::GetSavingsResponse response;
  const grpc::Status status =
      Call(&v1::HistoryService::Stub::GetSavings, daemon.History(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

v1::GetSavingsResponse SavingsOf(const Daemon& daemon, const std::string& machine) {
  v1::GetSavingsRequest request;
  request.set_machine("machines/" + machine);
  request.set_by_collective(true);
  request.set_by_job(true);
  return Savings(daemon, request);
}

TEST(SavingsTest, CanariesShowWhatTuningSaves) {
  Daemon daemon;
  daemon.Register("alpha");
  ReportBenchmark(daemon, "alpha");
  EXPECT_THAT(Ask(daemon, "alpha").evidence(), testing::ElementsAre(v1::EVIDENCE_BENCHMARK));
  Jobs jobs(daemon, "alpha", 0.5);
  jobs.Run();
  jobs.Run();
  const v1::GetSavingsResponse savings = SavingsOf(daemon, "alpha");
  ASSERT_EQ(savings.rows_size(), 3);
  EXPECT_EQ(savings.withdrawals_size(), 0);
  EXPECT_FALSE(savings.truncated());
  const v1::SavingsRow& all = savings.rows(0);
  EXPECT_EQ(all.collective(), "");
  EXPECT_EQ(all.job(), "");
  // 16 ranks report each call: 95 + 95 calls a second.
  EXPECT_DOUBLE_EQ(all.call_count(), 2 * 120 * 190);
  EXPECT_DOUBLE_EQ(all.compared_call_count(), all.call_count());
  EXPECT_DOUBLE_EQ(all.canary_call_count(), 2 * 120 * 10);
  EXPECT_GT(all.spent_s(), 0);
  // Half of the time: as much is saved as was spent.
  EXPECT_NEAR(all.saved_s() / all.spent_s(), 1, 0.1);
  ASSERT_EQ(all.interval_s_size(), 2);
  EXPECT_GT(all.interval_s(0), 0.5 * all.saved_s());
  EXPECT_LT(all.interval_s(1), 1.5 * all.saved_s());
  EXPECT_DOUBLE_EQ(all.saved_rank_s(), 16 * all.saved_s());
  // Both nodes' reports are one job's.
  EXPECT_THAT(savings.rows(1).job(), HasSubstr("job-"));
  EXPECT_THAT(savings.rows(1).job(), Not(HasSubstr("@")));
  EXPECT_EQ(savings.rows(1).collective(), "allreduce");
  EXPECT_NEAR(savings.rows(1).saved_s() + savings.rows(2).saved_s(), all.saved_s(), 1e-9);
  EXPECT_EQ(Ask(daemon, "alpha").algorithm(), "fast");
  EXPECT_THAT(Ask(daemon, "alpha").evidence(),
              testing::ElementsAre(v1::EVIDENCE_BENCHMARK, v1::EVIDENCE_JOBS, v1::EVIDENCE_CANARY));
}

// Without a new observation, and while a profile is pinned.
TEST(SavingsTest, AnswersRestOnCanariesAlsoAfterAStart) {
  Daemon daemon;
  daemon.Register("alpha");
  ReportBenchmark(daemon, "alpha");
  Jobs jobs(daemon, "alpha", 0.5);
  jobs.Run();
  jobs.Run();
  daemon.SetProfile("alpha", {{"hockney", "network", "alpha", 1e-6},
                              {"hockney", "network", "beta", 1e-9},
                              {"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-9}});
  const auto rests_on_canaries = [&daemon] {
    const v1::RecommendResponse answer = Ask(daemon, "alpha");
    return std::count(answer.evidence().begin(), answer.evidence().end(), v1::EVIDENCE_CANARY) > 0;
  };
  ASSERT_TRUE(rests_on_canaries());
  for (const bool is_pinned : {false, true}) {
    if (is_pinned) {
      v1::PinProfileRequest pin;
      pin.set_name("machines/alpha/profiles/1");
      v1::Profile profile;
      ASSERT_TRUE(
          Call(&v1::ProfileService::Stub::PinProfile, daemon.Profiles(), pin, &profile).ok());
      EXPECT_TRUE(rests_on_canaries());
    }
    daemon.Stop();
    daemon.Start();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!rests_on_canaries() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(rests_on_canaries()) << (is_pinned ? "pinned" : "");
  }
}

TEST(SavingsTest, PeriodsJobsAndWrongFields) {
  Daemon daemon;
  daemon.Register("alpha");
  Jobs jobs(daemon, "alpha", 0.5);
  jobs.Run();
  jobs.Run();
  v1::GetSavingsRequest request;
  request.set_machine("alpha");
  request.set_job("job-2");
  EXPECT_DOUBLE_EQ(Savings(daemon, request).rows(0).call_count(), 120 * 190);
  request.set_library("another");
  EXPECT_EQ(Savings(daemon, request).rows(0).call_count(), 0);
  request.Clear();
  request.set_machine("alpha");
  request.mutable_end_time()->set_seconds(kBegin_s + 130);
  EXPECT_DOUBLE_EQ(Savings(daemon, request).rows(0).call_count(), 120 * 190);
  request.mutable_start_time()->set_seconds(kBegin_s + 130);
  v1::GetSavingsResponse response;
  EXPECT_EQ(
      FieldOf(Call(&v1::HistoryService::Stub::GetSavings, daemon.History(), request, &response)),
      "end_time");
  request.Clear();
  request.set_machine("alpha");
  request.set_bucket_s(59);
  EXPECT_EQ(
      FieldOf(Call(&v1::HistoryService::Stub::GetSavings, daemon.History(), request, &response)),
      "bucket_s");
  request.Clear();
  request.set_machine("no such machine");
  EXPECT_EQ(
      FieldOf(Call(&v1::HistoryService::Stub::GetSavings, daemon.History(), request, &response)),
      "machine");
  request.set_machine("nowhere");
  EXPECT_EQ(Call(&v1::HistoryService::Stub::GetSavings, daemon.History(), request, &response)
                .error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(SavingsTest, AnArchiveThatWasImportedLaterHidesNoJob) {
  Daemon daemon;
  daemon.Register("alpha");
  Jobs jobs(daemon, "alpha", 0.5);
  jobs.Run();
  v1::ReportObservationsRequest archive;
  archive.set_source("archive");
  for (int i = 0; i < 5'000; ++i) {
    v1::Observation* const observation = archive.add_observations();
    *observation = Timing("alpha", "fast", kBenchmarkFast_s);
    observation->mutable_at()->set_seconds(kBegin_s - 1'000'000);
  }
  for (int i = 0; i < 5; ++i) Send(daemon, archive);
  v1::GetSavingsRequest request;
  request.set_machine("alpha");
  request.mutable_start_time()->set_seconds(kBegin_s);
  EXPECT_DOUBLE_EQ(Savings(daemon, request).rows(0).call_count(), 120 * 190);
}

// An agent names the application where it reports messages; other jobs go by their names.
TEST(SavingsTest, RowsOfApplications) {
  Daemon daemon;
  daemon.Register("alpha");
  Jobs jobs(daemon, "alpha", 0.5);
  jobs.name = "lulesh-";
  jobs.Run();
  jobs.Run();
  jobs.name = "slurm-";
  jobs.Run();
  v1::ReportObservationsRequest messages;
  messages.set_job("slurm-3@n1");
  messages.set_sequence(1'000);
  v1::PatternSketch* const sketch = messages.add_sketches();
  sketch->set_machine("alpha");
  sketch->set_application("hpcg");
  sketch->set_kind("messages");
  sketch->set_nodes(2);
  sketch->set_ppn(8);
  sketch->set_ranks(16);
  sketch->set_phase_count(16);
  Send(daemon, messages);

  v1::GetSavingsRequest request;
  request.set_machine("alpha");
  request.set_by_application(true);
  const v1::GetSavingsResponse savings = Savings(daemon, request);
  ASSERT_EQ(savings.rows_size(), 3);
  EXPECT_EQ(savings.rows(0).application(), "");
  std::map<std::string, double> calls;
  double saved_s = 0;
  for (const int i : {1, 2}) {
    calls[savings.rows(i).application()] = savings.rows(i).call_count();
    saved_s += savings.rows(i).saved_s();
    EXPECT_EQ(savings.rows(i).job(), "");
    EXPECT_EQ(savings.rows(i).interval_s_size(), 2);
  }
  EXPECT_THAT(calls, testing::ElementsAre(testing::Pair("hpcg", 120 * 190),
                                          testing::Pair("lulesh", 2 * 120 * 190)));
  EXPECT_NEAR(saved_s, savings.rows(0).saved_s(), 1e-9);

  request.set_by_application(false);
  request.set_application("lulesh");
  const v1::GetSavingsResponse of_one = Savings(daemon, request);
  ASSERT_EQ(of_one.rows_size(), 1);
  EXPECT_DOUBLE_EQ(of_one.rows(0).call_count(), 2 * 120 * 190);
  request.set_application("slurm");
  EXPECT_EQ(Savings(daemon, request).rows(0).call_count(), 0);
}

// Libcoxcoll ran all allreduces of a job beside the job's own library.
TEST(SavingsTest, OneCollectiveIsWhatItsRowSays) {
  Daemon daemon;
  daemon.Register("alpha");
  const auto report = [&daemon](const std::string& job, int64_t minute,
                                const std::vector<v1::Observation>& observations) {
    v1::ReportObservationsRequest request;
    request.set_job(job + "@n1");
    request.set_source("ada@login");
    request.set_await_learning(true);
    for (const v1::Observation& observation : observations) {
      *request.add_observations() = observation;
      request.mutable_observations()->rbegin()->mutable_at()->set_seconds(kBegin_s + 60 * minute);
    }
    Send(daemon, request);
  };
  v1::Observation canary = Timing("alpha", "default", kJobDefault_s);
  canary.set_run("canary");
  v1::Observation own = Timing("alpha", "fast", kJobDefault_s / 2);
  own.set_collective("bcast");
  v1::Observation coxcoll = Timing("alpha", "rings", kJobDefault_s / 2);
  coxcoll.set_library("coxcoll");
  report("canary-1", 0, {canary});
  report("tuned-1", 1, {coxcoll, own});
  canary.set_time_s(1.01 * kJobDefault_s);
  report("canary-2", 2, {canary});

  v1::GetSavingsRequest request;
  request.set_machine("alpha");
  request.set_by_collective(true);
  const v1::GetSavingsResponse of_all = Savings(daemon, request);
  ASSERT_EQ(of_all.rows_size(), 3);
  const v1::SavingsRow& row = of_all.rows(1);
  EXPECT_EQ(row.collective(), "allreduce");
  EXPECT_DOUBLE_EQ(row.compared_call_count(), 10);
  EXPECT_NEAR(row.saved_s(), 10 * kJobDefault_s / 2, kJobDefault_s);
  ASSERT_EQ(row.interval_s_size(), 2);
  request.set_collective("allreduce");
  request.set_by_library(true);
  const v1::GetSavingsResponse of_one = Savings(daemon, request);
  ASSERT_EQ(of_one.rows_size(), 2);
  EXPECT_EQ(of_one.rows(1).library(), "site-mpi");
  for (const v1::SavingsRow& one : of_one.rows()) {
    EXPECT_DOUBLE_EQ(one.compared_call_count(), row.compared_call_count());
    EXPECT_DOUBLE_EQ(one.saved_s(), row.saved_s());
    ASSERT_EQ(one.interval_s_size(), 2);
    EXPECT_DOUBLE_EQ(one.interval_s(0), row.interval_s(0));
    EXPECT_DOUBLE_EQ(one.interval_s(1), row.interval_s(1));
  }
}

TEST(SavingsTest, BucketsShowWhenItWasSaved) {
  Daemon daemon;
  daemon.Register("alpha");
  Jobs jobs(daemon, "alpha", 0.5);
  jobs.Run();
  jobs.Run();
  v1::GetSavingsRequest request;
  request.set_machine("alpha");
  request.mutable_start_time()->set_seconds(kBegin_s - 30);
  request.set_bucket_s(60);
  const v1::GetSavingsResponse savings = Savings(daemon, request);
  ASSERT_GE(savings.rows_size(), 3);
  EXPECT_FALSE(savings.rows(0).has_start_time());
  double saved_s = 0;
  double calls = 0;
  for (int i = 1; i < savings.rows_size(); ++i) {
    const v1::SavingsRow& row = savings.rows(i);
    EXPECT_EQ((row.start_time().seconds() - (kBegin_s - 30)) % 60, 0);
    if (i > 1) {
      EXPECT_GT(row.start_time().seconds(), savings.rows(i - 1).start_time().seconds());
    }
    saved_s += row.saved_s();
    calls += row.call_count();
  }
  EXPECT_NEAR(saved_s, savings.rows(0).saved_s(), 0.05 * savings.rows(0).saved_s());
  EXPECT_DOUBLE_EQ(calls, savings.rows(0).call_count());
}

TEST(SavingsTest, MetricsHaveTheEstimateOfTheLastDay) {
  Daemon daemon;
  daemon.Register("alpha");
  daemon.Register("idle");
  Jobs jobs(daemon, "alpha", 0.5);
  const int64_t now_s = time(nullptr);
  jobs.now_s = now_s - 3 * 86'400;
  jobs.Run();
  jobs.now_s = now_s - 3'600;
  jobs.Run();
  // The first reader starts the estimate in the background.
  const auto read = [&daemon](const std::string& machine) -> std::optional<service::SavedTime> {
    const auto facts = daemon.server().ReadFacts();
    EXPECT_TRUE(facts.ok()) << facts.status();
    for (const service::MachineFacts& one : facts->machines) {
      if (one.name == machine) return one.saved;
    }
    return std::nullopt;
  };
  std::optional<service::SavedTime> saved;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!saved && std::chrono::steady_clock::now() < deadline) {
    saved = read("alpha");
    if (!saved) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(saved.has_value());
  v1::GetSavingsRequest request;
  request.set_machine("alpha");
  request.mutable_start_time()->set_seconds(now_s - 86'400);
  const v1::GetSavingsResponse of_a_day = Savings(daemon, request);
  EXPECT_DOUBLE_EQ(of_a_day.rows(0).call_count(), 120 * 190);
  EXPECT_DOUBLE_EQ(saved->saved_s, of_a_day.rows(0).saved_s());
  ASSERT_TRUE(saved->interval.has_value());
  EXPECT_DOUBLE_EQ(saved->interval->low_s, of_a_day.rows(0).interval_s(0));
  EXPECT_DOUBLE_EQ(saved->interval->high_s, of_a_day.rows(0).interval_s(1));
  EXPECT_FALSE(read("idle").has_value());
}

// An algorithm that benchmarks three times as fast as the default and takes twice as long in jobs.
TEST(GuardTest, ALieIsWithdrawnWithinThreeJobsAndSubscribersHearOfIt) {
  Daemon daemon;
  daemon.Register("alpha");
  daemon.SetProfile("alpha", {{"hockney", "network", "alpha", 1e-6},
                              {"hockney", "network", "beta", 1e-9},
                              {"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-9}});
  ReportBenchmark(daemon, "alpha");
  ASSERT_EQ(Ask(daemon, "alpha").algorithm(), "fast");

  grpc::ClientContext context;
  v1::WatchProfileRequest watched;
  watched.set_parent("machines/alpha");
  const auto profiles = daemon.Profiles();
  const auto reader = profiles->WatchProfile(&context, watched);
  v1::Profile profile;
  ASSERT_TRUE(reader->Read(&profile));

  Jobs jobs(daemon, "alpha", 2);
  int run = 0;
  while (run < 3 && SavingsOf(daemon, "alpha").withdrawals().empty()) {
    jobs.Run();
    ++run;
  }
  const v1::GetSavingsResponse savings = SavingsOf(daemon, "alpha");
  ASSERT_EQ(savings.withdrawals_size(), 1);
  const v1::Withdrawal& withdrawal = savings.withdrawals(0);
  EXPECT_EQ(withdrawal.library(), "site-mpi");
  EXPECT_EQ(withdrawal.collective(), "allreduce");
  EXPECT_EQ(withdrawal.algorithm(), "fast");
  EXPECT_EQ(withdrawal.ranks(), 16);
  EXPECT_EQ(withdrawal.min_block_bytes(), 1024);
  EXPECT_EQ(withdrawal.max_block_bytes(), 2047);
  EXPECT_NEAR(withdrawal.factor(), 2, 0.3);
  EXPECT_GE(withdrawal.pair_count(), 9);
  EXPECT_FALSE(withdrawal.ended());
  EXPECT_LT(savings.rows(0).saved_s(), 0);
  EXPECT_EQ(Ask(daemon, "alpha").algorithm(), "default");

  while (profile.note().find("withdrawn") == std::string::npos) {
    ASSERT_TRUE(reader->Read(&profile)) << "the stream ended";
  }
  EXPECT_THAT(profile.note(), HasSubstr("allreduce fast of site-mpi"));
  context.TryCancel();

  // More of the same does not withdraw it twice.
  jobs.Run();
  EXPECT_EQ(SavingsOf(daemon, "alpha").withdrawals_size(), 1);

  // Forgetting the jobs takes their evidence back, too.
  v1::ForgetObservationsRequest forget;
  forget.set_source("ada@login");
  v1::ForgetObservationsResponse forgotten;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ForgetObservations, daemon.Observations(), forget,
                   &forgotten)
                  .ok());
  EXPECT_EQ(SavingsOf(daemon, "alpha").withdrawals_size(), 0);
  EXPECT_EQ(Ask(daemon, "alpha").algorithm(), "fast");
}

// Without the label the same timings are other jobs', at other times.
TEST(GuardTest, OnlyCanariesAreEvidence) {
  Daemon daemon;
  daemon.Register("alpha");
  ReportBenchmark(daemon, "alpha");
  Jobs jobs(daemon, "alpha", 2);
  jobs.is_labelled = false;
  for (int run = 0; run < 3; ++run) jobs.Run();
  EXPECT_EQ(SavingsOf(daemon, "alpha").withdrawals_size(), 0);
  // What the benchmark promised is doubted all the same: jobs took longer with it.
  EXPECT_EQ(Ask(daemon, "alpha").algorithm(), "default");
}

TEST(GuardTest, ANewProfileOfAPersonEndsAWithdrawal) {
  Daemon daemon;
  daemon.Register("alpha");
  ReportBenchmark(daemon, "alpha");
  Jobs jobs(daemon, "alpha", 2);
  for (int run = 0; run < 3; ++run) jobs.Run();
  ASSERT_EQ(SavingsOf(daemon, "alpha").withdrawals_size(), 1);
  daemon.SetProfile("alpha", {{"hockney", "network", "alpha", 1e-6},
                              {"hockney", "network", "beta", 1e-9},
                              {"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-9}});
  EXPECT_TRUE(SavingsOf(daemon, "alpha").withdrawals(0).ended());
  EXPECT_THAT(Ask(daemon, "alpha").reason(), Not(HasSubstr("withdrawn")));
}

// The machine becomes slower, and the algorithm is now the faster one.
TEST(GuardTest, ADriftOfItsCallsEndsAWithdrawal) {
  Daemon daemon;
  daemon.Register("alpha");
  ReportBenchmark(daemon, "alpha");
  Jobs jobs(daemon, "alpha", 2);
  for (int run = 0; run < 3; ++run) jobs.Run();
  ASSERT_EQ(SavingsOf(daemon, "alpha").withdrawals_size(), 1);
  ASSERT_FALSE(SavingsOf(daemon, "alpha").withdrawals(0).ended());
  ASSERT_THAT(Ask(daemon, "alpha").reason(), HasSubstr("withdrawn"));

  jobs.slowdown = 8;
  jobs.factor = 0.5;
  const auto drifts = [&daemon] {
    v1::ListDriftsRequest request;
    request.set_parent("machines/alpha");
    v1::ListDriftsResponse response;
    EXPECT_TRUE(
        Call(&v1::ObservationService::Stub::ListDrifts, daemon.Observations(), request, &response)
            .ok());
    return response.drifts_size();
  };
  ASSERT_EQ(drifts(), 0);
  for (int run = 0; run < 3 && drifts() == 0; ++run) jobs.Run();
  ASSERT_GT(drifts(), 0);
  const v1::GetSavingsResponse savings = SavingsOf(daemon, "alpha");
  ASSERT_EQ(savings.withdrawals_size(), 1);
  EXPECT_TRUE(savings.withdrawals(0).ended());
  EXPECT_THAT(Ask(daemon, "alpha").reason(), Not(HasSubstr("withdrawn")));
}

}  // namespace
}  // namespace cox
