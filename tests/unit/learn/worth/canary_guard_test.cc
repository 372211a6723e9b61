#include "learn/worth/canary_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "domain/canary_arm.h"

namespace cox::learn {
namespace {

constexpr int64_t kSecondUs = 1'000'000;

domain::ScenarioKey Call(const std::string& algorithm, int64_t block_bytes = 1024) {
  return {.machine = "m",
          .library = "openmpi-4.1",
          .collective = "bcast",
          .algorithm = algorithm,
          .nodes = 4,
          .ppn = 8,
          .ranks = 32,
          .block_bytes = block_bytes,
          .type_bytes = 8};
}

// Jobs one after another on a machine whose speed wanders, and that report once a second. Each job
// and each window has a load of its own, which slows all calls alike.
class Fleet {
 public:
  explicit Fleet(unsigned seed) : random_(seed) {}

  double factor = 1;     // chosen / default, in truth
  double scatter = 0.2;  // of one call's ln(time)
  double step = 0.05;    // of the machine's ln(speed), per window
  double apart = 0;      // scatter of ln(time) between jobs that run one of the two throughout
  int nodes = 1;         // each reports its own share of the calls
  std::vector<int64_t> sizes = {1024};  // of each of these jobs

  // A job of `seconds` that runs every twentieth call by the default. Withdrawals go to `all`.
  void RunApplyJob(int seconds) {
    const std::string job = "job-" + std::to_string(++jobs_);
    for (int second = 0; second < seconds; ++second) {
      load_ += step * normal_(random_);
      now_us_ += kSecondUs;
      for (int node = 0; node < nodes; ++node) {
        Report(job, "chain", factor, 90, domain::CanaryArm::kTuned);
        Report(job, "chain", factor, 5, domain::CanaryArm::kPeer);
        Report(job, "default", 1, 5, domain::CanaryArm::kCanary);
      }
    }
    now_us_ += 100 * kSecondUs;
  }

  // A job that runs one of the two throughout.
  void RunWholeJob(int seconds, bool is_canary) { RunPart(NewJob(), seconds, is_canary); }
  // Another job begins. What slows it slows all its parts.
  std::string NewJob() {
    load_ += step * normal_(random_);
    if (apart > 0) own_load_ = apart * normal_(random_);
    return "job-" + std::to_string(++jobs_);
  }
  // The job runs for a while, then it pauses.
  void RunPart(const std::string& job, int seconds, bool is_canary) {
    for (int second = 0; second < seconds; ++second) {
      now_us_ += kSecondUs;
      for (const int64_t size : sizes) {
        Report(job, is_canary ? "default" : "chain", is_canary ? 1 : factor, 100,
               is_canary ? domain::CanaryArm::kCanary : domain::CanaryArm::kTuned, size);
      }
    }
    now_us_ += 100 * kSecondUs;
  }

  bool Draw(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  std::vector<domain::Withdrawal> all;
  CanaryGuard guard;

 private:
  void Report(const std::string& job, const std::string& algorithm, double times, double calls,
              domain::CanaryArm arm, int64_t size = 1024) {
    const domain::ScenarioKey key = Call(algorithm, size);
    const double noise = scatter / std::sqrt(calls) * normal_(random_);
    for (const domain::Withdrawal& withdrawal :
         guard.Observe({.id = ++id_,
         .scenario = &key,
         .job = job,
         .at_us = now_us_,
         .time_s = 1e-4 * times * std::exp(load_ + own_load_ + noise),
         .calls = calls,
         .arm = arm})) {
      all.push_back(withdrawal);
    }
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double load_ = 0;
  double own_load_ = 0;  // the job's
  int64_t now_us_ = 1'700'000'000 * kSecondUs;
  int64_t id_ = 0;
  int jobs_ = 0;
};

// Timings with heavy tails, of which the canaries see fewer than the tuned calls do.
TEST(CanaryGuardTest, OutliersAreNoEvidence) {
  int withdrawn = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Fleet fleet(5000 + seed);
    fleet.scatter = 3;
    for (int job = 0; job < 20; ++job) fleet.RunApplyJob(120);
    withdrawn += fleet.all.empty() ? 0 : 1;
  }
  EXPECT_LE(withdrawn, 7);
}

TEST(CanaryGuardTest, WhatIsTwiceAsSlowIsWithdrawnWithinThreeJobs) {
  int withdrawn = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Fleet fleet(seed);
    fleet.factor = 2;
    for (int job = 0; job < 3; ++job) fleet.RunApplyJob(60);
    withdrawn += fleet.all.empty() ? 0 : 1;
  }
  EXPECT_GE(withdrawn, 195);
}

TEST(CanaryGuardTest, ShortJobsAreEnoughIfThereAreSeveral) {
  Fleet fleet(1);
  fleet.factor = 2;
  for (int job = 0; job < 20; ++job) fleet.RunApplyJob(3);
  EXPECT_FALSE(fleet.all.empty());
}

TEST(CanaryGuardTest, AWithdrawalNamesItsEvidence) {
  Fleet fleet(5);
  fleet.factor = 2;
  for (int job = 0; job < 3 && fleet.all.empty(); ++job) fleet.RunApplyJob(60);
  ASSERT_FALSE(fleet.all.empty());
  const domain::Withdrawal& withdrawal = fleet.all.front();
  EXPECT_EQ(withdrawal.machine, "m");
  EXPECT_TRUE(withdrawal.evidence.calls.Holds("openmpi-4.1", "bcast", 4, 8, 32, 1500));
  EXPECT_FALSE(withdrawal.evidence.calls.Holds("openmpi-4.1", "bcast", 4, 8, 32, 2048));
  EXPECT_EQ(withdrawal.evidence.calls.algorithm, "chain");
  EXPECT_NEAR(std::exp(withdrawal.evidence.log_factor), 2, 0.4);
  EXPECT_GE(withdrawal.evidence.pair_count, 9);
  EXPECT_GE(withdrawal.evidence.job_count, 1);
  EXPECT_GE(withdrawal.first_id, 1);
  EXPECT_GT(withdrawal.last_id, withdrawal.first_id);
}

// As slow as the default, on a machine that becomes slower and faster by half now and then.
TEST(CanaryGuardTest, WhatIsNotSlowerIsRarelyWithdrawn) {
  int withdrawn = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Fleet fleet(1000 + seed);
    fleet.factor = std::exp(CanaryGuard::kTolerance);
    fleet.nodes = 1 + static_cast<int>(seed % 3);
    for (int job = 0; job < 20; ++job) fleet.RunApplyJob(120);
    withdrawn += fleet.all.empty() ? 0 : 1;
  }
  // 3 of 300 are allowed on average.
  EXPECT_LE(withdrawn, 8);
}

TEST(CanaryGuardTest, AnAlgorithmThatIsFasterStays) {
  Fleet fleet(3);
  fleet.factor = 0.7;
  for (int job = 0; job < 50; ++job) fleet.RunApplyJob(60);
  EXPECT_TRUE(fleet.all.empty());
  const std::vector<domain::Comparison> comparisons = fleet.guard.Comparisons();
  ASSERT_EQ(comparisons.size(), 1);
  EXPECT_NEAR(comparisons[0].log_factor, std::log(0.7), 0.1);
}

TEST(CanaryGuardTest, WhatBecomesSlowerAfterLongIsWithdrawnSoon) {
  Fleet fleet(6);
  fleet.factor = 0.7;
  for (int job = 0; job < 2000; ++job) fleet.RunApplyJob(60);
  ASSERT_TRUE(fleet.all.empty());
  fleet.factor = 1.3;
  for (int job = 0; job < 12 && fleet.all.empty(); ++job) fleet.RunApplyJob(60);
  ASSERT_FALSE(fleet.all.empty());
  // Only the bad times speak.
  const domain::Comparison& evidence = fleet.all.front().evidence;
  EXPECT_NEAR(evidence.log_factor, std::log(1.3), 0.1);
  EXPECT_LE(evidence.pair_count, 60);
  EXPECT_LE(evidence.job_count, 12);
}

TEST(CanaryGuardTest, ManyCanaryJobsAreNotTooManyForTheNext) {
  Fleet fleet(7);
  fleet.factor = 0.7;
  for (int job = 0; job < 2400; ++job) fleet.RunWholeJob(30, job % 2 == 1);
  ASSERT_TRUE(fleet.all.empty());
  fleet.factor = 2;
  for (int job = 0; job < 80 && fleet.all.empty(); ++job) fleet.RunWholeJob(30, job % 2 == 1);
  EXPECT_FALSE(fleet.all.empty());
}

// Each node's report of the same calls is no more evidence than one.
TEST(CanaryGuardTest, ReportsOfManyNodesMakeOnePair) {
  Fleet one(4);
  Fleet many(4);
  many.nodes = 16;
  one.RunApplyJob(100);
  many.RunApplyJob(100);
  EXPECT_LE(many.guard.Comparisons().at(0).pair_count, 10);
}

TEST(CanaryGuardTest, WholeJobsAreCompared) {
  int withdrawn = 0;
  int withdrawn_wrongly = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    for (const double factor : {1.0, 2.0}) {
      Fleet fleet(seed);
      fleet.factor = factor;
      for (int job = 0; job < 400; ++job) fleet.RunWholeJob(30, fleet.Draw(0.1));
      (factor > 1 ? withdrawn : withdrawn_wrongly) += fleet.all.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(withdrawn, 98);
  EXPECT_LE(withdrawn_wrongly, 4);
}

// Sizes of one test: all from a power of two to the next.
std::vector<int64_t> EightSizes() {
  std::vector<int64_t> sizes;
  for (int64_t bytes = 1024; bytes < 2048; bytes += 128) sizes.push_back(bytes);
  return sizes;
}

// What slows a job as a whole slows it at all sizes.
TEST(CanaryGuardTest, EightSizesOfOneJobAreOnePair) {
  for (const bool begins_with_canary : {false, true}) {
    Fleet fleet(8);
    fleet.factor = 2;
    fleet.sizes = EightSizes();
    if (begins_with_canary) fleet.RunWholeJob(30, true);
    fleet.RunWholeJob(30, false);
    fleet.RunWholeJob(30, true);
    fleet.RunWholeJob(30, false);
    EXPECT_TRUE(fleet.all.empty());
    const std::vector<domain::Comparison> comparisons = fleet.guard.Comparisons();
    ASSERT_EQ(comparisons.size(), 1);
    EXPECT_EQ(comparisons[0].pair_count, 1);
  }
}

// One of the two pauses again and again while jobs of the other come and go.
TEST(CanaryGuardTest, AWholeJobWithPausesIsOnePair) {
  for (const bool canaries_come_and_go : {false, true}) {
    Fleet fleet(9);
    fleet.factor = 2;
    fleet.sizes = EightSizes();
    const std::string pauses = fleet.NewJob();
    for (int i = 0; i < 20; ++i) {
      fleet.RunPart(pauses, 30, !canaries_come_and_go);
      fleet.RunWholeJob(30, canaries_come_and_go);
    }
    EXPECT_TRUE(fleet.all.empty());
    const std::vector<domain::Comparison> comparisons = fleet.guard.Comparisons();
    ASSERT_EQ(comparisons.size(), 1);
    EXPECT_EQ(comparisons[0].pair_count, 1);
  }
}

TEST(CanaryGuardTest, JobsOfManySizesThatScatterAreRarelyTakenForSlower) {
  for (const double apart : {0.1, 0.2}) {
    int withdrawn = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
      Fleet fleet(7000 + seed);
      fleet.factor = std::exp(CanaryGuard::kTolerance);
      fleet.apart = apart;
      fleet.step = 0.01;
      fleet.sizes = EightSizes();
      for (int job = 0; job < 40; ++job) fleet.RunWholeJob(3, fleet.Draw(0.5));
      withdrawn += fleet.all.empty() ? 0 : 1;
    }
    // 3 of 300 are allowed on average.
    EXPECT_LE(withdrawn, 8) << apart;
  }
}

// Nine canary jobs, each after a tuned one, and a job that comes after the last.
TEST(CanaryGuardTest, JobsOfManySizesShowWhatIsTwiceAsSlow) {
  int withdrawn = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Fleet fleet(seed);
    fleet.factor = 2;
    fleet.apart = 0.1;
    fleet.sizes = EightSizes();
    for (int job = 0; job < 19; ++job) fleet.RunWholeJob(3, job % 2 == 1);
    withdrawn += fleet.all.empty() ? 0 : 1;
  }
  EXPECT_GE(withdrawn, 195);
}

// Jobs that do not draw canaries tell nothing: they may be other jobs at other times.
TEST(CanaryGuardTest, TheDefaultOfOtherJobsIsNoEvidence) {
  CanaryGuard guard;
  int64_t id = 0;
  for (int i = 0; i < 100; ++i) {
    for (const char* const algorithm : {"default", "chain"}) {
      const domain::ScenarioKey key = Call(algorithm);
      EXPECT_TRUE(guard
                      .Observe({.id = ++id,
                                .scenario = &key,
                                .job = algorithm,
                                .at_us = i * 20 * kSecondUs,
                                .time_s = key.algorithm == "chain" ? 2e-4 : 1e-4})
                      .empty());
    }
  }
  EXPECT_TRUE(guard.Comparisons().empty());
}

// A reporter may claim any number of jobs, each with any number of scenarios.
TEST(CanaryGuardTest, ClaimsOfManyJobsTakeLittleMemory) {
  constexpr int kScenarios = 400;
  constexpr int kJobs = 250;
  CanaryGuard guard;
  int64_t id = 0;
  const auto claim = [&](const std::string& job, int64_t block_bytes, int64_t at_us) {
    const domain::ScenarioKey scenario = Call("chain", block_bytes);
    guard.Observe({.id = ++id, .scenario = &scenario, .job = job, .at_us = at_us, .time_s = 1e-5});
  };
  for (int job = 0; job < kJobs; ++job) {
    for (int i = 0; i < kScenarios; ++i) claim("liar-" + std::to_string(job), i, kSecondUs);
  }
  EXPECT_EQ(guard.open_count(), CanaryGuard::kMostOpen);
  // Others are guarded again once the liar's jobs are over: also in a scenario that he left alone.
  const int64_t later_us = 2 * kSecondUs + CanaryGuard::kOverUs;
  for (int i = 0; i < 10'001; ++i) claim("job", 1'000'000, later_us);
  EXPECT_EQ(guard.open_count(), 1);
}

}  // namespace
}  // namespace cox::learn
