#include "learn/worth/savings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "domain/canary_arm.h"

namespace cox::learn {
namespace {

constexpr int64_t kOneSecondUs = 1'000'000;

domain::ScenarioKey SavingCall(const std::string& algorithm, int64_t block_bytes) {
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

// A machine with jobs, and what tuning truly saves there.
struct World {
  double gain = 0;        // of the default's time, by the chosen algorithm
  double job_sigma = 0;   // of ln(time), for all calls of a job
  double wander = 0;      // of ln(time), from job to job
  double slower_at = -1;  // all calls take twice as long from this part of the jobs on
  double scatter = 0.2;   // of a report
  double uneven = 0;      // of ln(calls), from job to job
};

class SavingFleet {
 public:
  SavingFleet(const World& world, unsigned seed) : world_(world), random_(seed) {}

  // `jobs` jobs, each with this probability by the default, else by the chosen algorithm.
  void RunWholeJobs(int jobs, double canary_ratio) {
    for (int job = 0; job < jobs; ++job) {
      BeginJob(job, jobs);
      const bool is_canary = uniform_(random_) < canary_ratio;
      for (int minute = 0; minute < 3; ++minute) Report(is_canary, 100);
    }
  }

  // Jobs of an hour that run five of a hundred calls by the default.
  void RunMixedJobs(int jobs) {
    for (int job = 0; job < jobs; ++job) {
      BeginJob(job, jobs);
      for (int minute = 0; minute < 60; ++minute) {
        load_ += world_.wander / 4 * normal_(random_);
        Report(true, 5);
        Report(false, 5, domain::CanaryArm::kPeer);
        Report(false, 90);
      }
    }
  }

  // Jobs of a minute that run five of a hundred calls by the default: one value of each arm.
  void RunShortJobs(int jobs) {
    for (int job = 0; job < jobs; ++job) {
      BeginJob(job, jobs);
      Report(false, 45);
      Report(true, 5);
      Report(false, 5, domain::CanaryArm::kPeer);
      Report(false, 45);
    }
  }

  double truth_s = 0;
  std::vector<CallTime> times;

 private:
  void BeginJob(int job, int jobs) {
    job_ = "job-" + std::to_string(job);
    if (world_.uneven > 0) length_ = std::exp(world_.uneven * normal_(random_));
    load_ += world_.wander * normal_(random_);
    job_load_ = world_.job_sigma * normal_(random_);
    if (world_.slower_at >= 0 && job >= world_.slower_at * jobs) job_load_ += std::log(2);
  }

  // One minute of a job, two sizes.
  void Report(bool is_canary, double share, domain::CanaryArm arm = domain::CanaryArm::kTuned) {
    const double calls = share * length_;
    now_us_ += 20 * kOneSecondUs;
    for (const int64_t bytes : {1024, 65'536}) {
      const double default_s = 1e-9 * static_cast<double>(bytes) * std::exp(load_ + job_load_);
      const double chosen_s = default_s * (1 - world_.gain);
      if (!is_canary) truth_s += calls * (default_s - chosen_s);
      times.push_back({.scenario = SavingCall(is_canary ? "default" : "chain", bytes),
                       .job = job_,
                       .at_us = now_us_,
                       .calls = calls,
                       .time_s = (is_canary ? default_s : chosen_s) *
                                 std::exp(world_.scatter * normal_(random_)),
                       .arm = is_canary ? domain::CanaryArm::kCanary : arm});
    }
  }

  const World world_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::string job_;
  double load_ = 0;
  double job_load_ = 0;
  double length_ = 1;
  int64_t now_us_ = 1'700'000'000 * kOneSecondUs;
};

enum class Jobs { kWhole, kMixed, kShort };

// How many of 300 fleets have a 90 % interval that holds what was truly saved.
int Held(const World& world, Jobs kind) {
  int held = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SavingFleet fleet(world, seed);
    switch (kind) {
      case Jobs::kWhole:
        fleet.RunWholeJobs(300, 0.1);
        break;
      case Jobs::kMixed:
        fleet.RunMixedJobs(4);
        break;
      case Jobs::kShort:
        fleet.RunShortJobs(40);
        break;
    }
    const Savings all = EstimateSavings(fleet.times, {}, {}).front();
    EXPECT_GT(all.half_width_s, 0);
    held += std::abs(all.saved_s - fleet.truth_s) <= all.half_width_s ? 1 : 0;
  }
  return held;
}

// 270 are expected, with a standard deviation of 5.
constexpr int kFewest = 252;
constexpr int kMost = 295;

TEST(SavingsCoverageTest, NothingSaved) {
  for (const Jobs kind : {Jobs::kWhole, Jobs::kMixed}) {
    const int held = Held({.job_sigma = 0.1}, kind);
    EXPECT_GE(held, kFewest);
    EXPECT_LE(held, kMost);
  }
}

TEST(SavingsCoverageTest, AThirdSaved) {
  for (const Jobs kind : {Jobs::kWhole, Jobs::kMixed}) {
    const int held = Held({.gain = 0.33, .job_sigma = 0.1}, kind);
    EXPECT_GE(held, kFewest);
    EXPECT_LE(held, kMost);
  }
}

TEST(SavingsCoverageTest, SomethingLost) {
  EXPECT_GE(Held({.gain = -0.5, .job_sigma = 0.2}, Jobs::kWhole), kFewest);
}

// Jobs that are slow as a whole, at all sizes at once.
TEST(SavingsCoverageTest, JobsThatDifferMuch) {
  for (const Jobs kind : {Jobs::kWhole, Jobs::kMixed}) {
    EXPECT_GE(Held({.gain = 0.2, .job_sigma = 0.4, .scatter = 0.1}, kind), kFewest);
  }
}

TEST(SavingsCoverageTest, AMachineThatWanders) {
  for (const Jobs kind : {Jobs::kWhole, Jobs::kMixed}) {
    EXPECT_GE(Held({.gain = 0.2, .job_sigma = 0.1, .wander = 0.1}, kind), kFewest);
  }
}

TEST(SavingsCoverageTest, AMachineThatBecomesTwiceAsSlow) {
  for (const Jobs kind : {Jobs::kWhole, Jobs::kMixed}) {
    EXPECT_GE(Held({.gain = 0.2, .job_sigma = 0.1, .slower_at = 0.6}, kind), kFewest);
    EXPECT_GE(Held({.gain = 0, .job_sigma = 0.1, .slower_at = 0.6}, kind), kFewest);
  }
}

// Most calls of a block are one job's.
TEST(SavingsCoverageTest, JobsOfUnevenLengths) {
  for (const Jobs kind : {Jobs::kWhole, Jobs::kShort}) {
    for (const double uneven : {1.0, 2.0}) {
      EXPECT_GE(Held({.job_sigma = 0.2, .scatter = 0.1, .uneven = uneven}, kind), kFewest)
          << uneven;
    }
  }
}

// A tenth of the time in 1 % of the calls is enough to see a gain of a fifth.
TEST(SavingsTest, TheIntervalIsNarrowEnoughToBeOfUse) {
  SavingFleet fleet({.gain = 0.2, .job_sigma = 0.1, .wander = 0.05}, 1);
  fleet.RunMixedJobs(4);
  const Savings all = EstimateSavings(fleet.times, {}, {}).front();
  EXPECT_GT(all.saved_s - all.half_width_s, 0.5 * fleet.truth_s);
  EXPECT_LT(all.saved_s + all.half_width_s, 1.5 * fleet.truth_s);
}

CallTime At(int minute, const std::string& job, bool is_canary, double time_s, double calls = 10) {
  return {.scenario = SavingCall(is_canary ? "default" : "chain", 1024),
          .job = job,
          .at_us = minute * 60 * kOneSecondUs,
          .calls = calls,
          .time_s = time_s,
          .arm = is_canary ? domain::CanaryArm::kCanary : domain::CanaryArm::kTuned};
}

TEST(SavingsTest, ABlockIsTunedCallsTimesTheDifference) {
  const std::vector<CallTime> times = {At(0, "a", true, 3, 1), At(1, "a", false, 1),
                                       At(2, "a", false, 2), At(3, "a", true, 5, 1)};
  const Savings all = EstimateSavings(times, {}, {}).front();
  // 20 tuned calls of 1.5 s, canaries of 4 s.
  EXPECT_EQ(all.calls, 20);
  EXPECT_EQ(all.compared_calls, 20);
  EXPECT_EQ(all.canary_calls, 2);
  EXPECT_DOUBLE_EQ(all.spent_s, 30);
  EXPECT_DOUBLE_EQ(all.saved_s, 50);
  EXPECT_DOUBLE_EQ(all.saved_rank_s, 50 * 32);
  // Four values deviate: the canaries by 20 / 2 * 1 * sqrt(2), the others by 10 * 0.5 * sqrt(2).
  const double squares = 2 * 200 + 2 * 50;
  EXPECT_GT(all.half_width_s, 1.6 * std::sqrt(squares));
}

// The peers stand for all tuned calls, of which they are some.
TEST(SavingsTest, PeersAreComparedForAll) {
  std::vector<CallTime> times = {At(0, "a", true, 3, 1), At(0, "a", false, 1),
                                 At(1, "a", true, 5, 1), At(1, "a", false, 2)};
  for (const auto& [minute, time_s] : {std::pair(0, 1.5), std::pair(1, 2.5)}) {
    times.push_back(At(minute, "a", false, time_s, 1));
    times.back().arm = domain::CanaryArm::kPeer;
  }
  const Savings all = EstimateSavings(times, {}, {}).front();
  EXPECT_EQ(all.calls, 22);
  EXPECT_DOUBLE_EQ(all.spent_s, 34);
  EXPECT_DOUBLE_EQ(all.saved_s, 22 * (4 - 2));
}

// Three short jobs gain by an algorithm, and a fourth loses more by another that a user forces.
TEST(SavingsTest, PeersStandForTheirOwnJobAndAlgorithmOnly) {
  std::vector<CallTime> times;
  for (int job = 0; job < 3; ++job) {
    const std::string name(1, static_cast<char>('a' + job));
    // Of different shares.
    const double drawn = 5 * (job + 1);
    const double slow = 1 + 0.01 * job;
    times.push_back(At(job, name, true, 1e-4 * slow, drawn));
    times.push_back(At(job, name, false, 0.5e-4 * slow, drawn));
    times.back().arm = domain::CanaryArm::kPeer;
    times.push_back(At(job, name, false, 0.5e-4 * slow, 190 - drawn));
  }
  times.push_back(At(3, "forced", false, 1e-3, 1000));
  times.back().scenario.algorithm = "linear";
  const std::vector<Savings> rows = EstimateSavings(times, {}, {.job = true});
  ASSERT_EQ(rows.size(), 5);
  double saved_s = 0;
  for (size_t i = 1; i < rows.size(); ++i) saved_s += rows[i].saved_s;
  EXPECT_EQ(rows.back().job, "forced");
  EXPECT_NEAR(rows.back().saved_s, -0.899, 0.001);
  const Savings& all = rows.front();
  EXPECT_NEAR(all.saved_s, saved_s, 1e-9);
  EXPECT_NEAR(all.saved_s, -0.899 + 3 * 0.0095, 0.002);
  EXPECT_EQ(all.compared_calls, 3 * 190 + 1000);
  EXPECT_EQ(all.canary_calls, 30);
  // Nobody knows how slow the node was that ran the fourth job: a hundredth, as those of the
  // others.
  EXPECT_GT(all.half_width_s, 0.01);
  EXPECT_LT(all.half_width_s, 0.5);
}

TEST(SavingsTest, PeersDoNotStandForAnotherAlgorithmOfTheirJob) {
  std::vector<CallTime> times = {At(0, "a", true, 3, 1),    At(1, "a", true, 5, 1),
                                 At(0, "a", false, 1.5, 1), At(1, "a", false, 2.5, 1),
                                 At(0, "a", false, 1, 8),   At(1, "a", false, 10, 20)};
  for (const size_t peer : {2, 3}) times[peer].arm = domain::CanaryArm::kPeer;
  times[5].scenario.algorithm = "linear";
  const Savings all = EstimateSavings(times, {}, {}).front();
  EXPECT_EQ(all.compared_calls, 30);
  EXPECT_DOUBLE_EQ(all.spent_s, 1.5 + 2.5 + 8 + 200);
  EXPECT_DOUBLE_EQ(all.saved_s, 10 * (4 - 2) + 20 * (4 - 10));
}

// A value of nearly all calls of its block.
TEST(SavingsTest, TheIntervalIsFiniteHoweverUnevenTheJobsAre) {
  for (const double most : {1e3, 1e6, 1e12}) {
    const std::vector<CallTime> times = {At(0, "a", true, 2, most), At(1, "b", true, 3, 1),
                                         At(2, "c", false, 1, most), At(3, "d", false, 2, 1)};
    const Savings all = EstimateSavings(times, {}, {}).front();
    EXPECT_NEAR(all.saved_s, most, 0.01 * most) << most;
    // Both values of an arm are equally good: their mean would deviate by a half.
    EXPECT_GE(all.half_width_s, most) << most;
    EXPECT_LT(all.half_width_s, 10 * most) << most;
  }
}

TEST(SavingsTest, CallsWithoutCanariesAreCountedAndNotCompared) {
  const std::vector<CallTime> times = {At(0, "a", false, 1), At(1, "b", true, 2),
                                       At(1 << 20, "c", false, 1)};
  const Savings all = EstimateSavings(times, {}, {}).front();
  EXPECT_EQ(all.calls, 20);
  EXPECT_EQ(all.compared_calls, 0);
  EXPECT_EQ(all.saved_s, 0);
  EXPECT_LT(all.half_width_s, 0);
  EXPECT_EQ(EstimateSavings({}, {}, {.library = true}).size(), 1);
}

TEST(SavingsTest, CallsAWeekFromEveryCanaryAreNotCompared) {
  const int week = 7 * 24 * 60;
  const std::vector<CallTime> times = {At(0, "a", true, 2), At(1, "b", true, 2),
                                       At(2, "c", false, 1), At(week + 60, "d", false, 1)};
  EXPECT_EQ(EstimateSavings(times, {}, {}).front().compared_calls, 10);
}

TEST(SavingsTest, TheDefaultOfOtherJobsIsNoCanary) {
  std::vector<CallTime> times = {At(0, "a", true, 2), At(1, "b", true, 2), At(2, "c", false, 1)};
  times.push_back(At(2, "d", true, 100));
  times.back().arm = domain::CanaryArm::kTuned;
  EXPECT_DOUBLE_EQ(EstimateSavings(times, {}, {}).front().saved_s, 10);
}

TEST(SavingsTest, RowsOfPartsAddUp) {
  SavingFleet fleet({.gain = 0.2}, 3);
  fleet.RunWholeJobs(60, 0.2);
  for (CallTime& time : fleet.times) {
    if (time.scenario.block_bytes > 1024) time.scenario.collective = "allreduce";
  }
  for (const SavingsBy& by : {SavingsBy{.collective = true}, SavingsBy{.job = true},
                              SavingsBy{.library = true, .collective = true, .job = true}}) {
    const std::vector<Savings> rows = EstimateSavings(fleet.times, {}, by);
    ASSERT_GE(rows.size(), 3);
    double saved_s = 0;
    double calls = 0;
    for (size_t i = 1; i < rows.size(); ++i) {
      saved_s += rows[i].saved_s;
      calls += rows[i].calls;
      if (i > 1) {
        EXPECT_GE(rows[i - 1].saved_s, rows[i].saved_s);
      }
      EXPECT_EQ(rows[i].job.empty(), !by.job);
      EXPECT_EQ(rows[i].collective.empty(), !by.collective);
    }
    EXPECT_NEAR(saved_s, rows[0].saved_s, 1e-9 * std::abs(rows[0].saved_s));
    EXPECT_NEAR(calls, rows[0].calls, 1e-9 * calls);
  }
}

TEST(SavingsTest, BucketsBeginAtTheirOriginAndComeInOrder) {
  // At(minute, ...): two canaries and two tuned calls in each of two hours, with different gains.
  const std::vector<CallTime> times = {At(0, "a", true, 2),  At(1, "b", true, 2),
                                       At(2, "c", false, 1), At(60, "d", true, 3),
                                       At(61, "e", true, 3), At(62, "f", false, 1)};
  constexpr int64_t kMinuteUs = 60'000'000;
  const int64_t begin_us = times.front().at_us;
  const auto rows = EstimateSavings(
      times, {}, {.bucket_us = 30 * kMinuteUs, .origin_us = begin_us - 10 * kMinuteUs});
  ASSERT_EQ(rows.size(), 3);
  EXPECT_DOUBLE_EQ(rows[0].saved_s, 30);
  EXPECT_EQ(rows[1].begin_us, begin_us - 10 * kMinuteUs);
  EXPECT_DOUBLE_EQ(rows[1].saved_s, 10);
  EXPECT_EQ(rows[2].begin_us, begin_us + 50 * kMinuteUs);
  EXPECT_DOUBLE_EQ(rows[2].saved_s, 20);
  // An origin after the times.
  const auto later = EstimateSavings(
      times, {}, {.bucket_us = 30 * kMinuteUs, .origin_us = begin_us + 20 * kMinuteUs});
  ASSERT_EQ(later.size(), 3);
  EXPECT_EQ(later[1].begin_us, begin_us - 10 * kMinuteUs);
}

TEST(SavingsTest, OneJobIsComparedWithCanariesOfAll) {
  const std::vector<CallTime> times = {At(0, "a", true, 2), At(1, "b", true, 2),
                                       At(2, "c", false, 1), At(2, "d", false, 1.5)};
  EXPECT_DOUBLE_EQ(EstimateSavings(times, {.job = "d"}, {}).front().saved_s, 5);
  EXPECT_DOUBLE_EQ(EstimateSavings(times, {.library = "openmpi-4.1"}, {}).front().saved_s, 15);
  EXPECT_EQ(EstimateSavings(times, {.library = "mpich-4.0"}, {}).front().calls, 0);
}

TEST(SavingsTest, ApplicationsAreTheirJobs) {
  std::vector<CallTime> times = {At(0, "a", true, 2), At(1, "b", true, 2), At(2, "c", false, 1),
                                 At(2, "d", false, 1.5), At(2, "e", false, 1)};
  times[2].application = times[3].application = "lulesh";
  times[4].application = "hpcg";
  const std::vector<Savings> rows = EstimateSavings(times, {}, {.application = true});
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0].application, "");
  EXPECT_EQ(rows[1].application, "lulesh");
  EXPECT_DOUBLE_EQ(rows[1].saved_s, 15);
  EXPECT_EQ(rows[2].application, "hpcg");
  EXPECT_DOUBLE_EQ(rows[2].saved_s, 10);
  // Canaries of all applications are compared with.
  EXPECT_DOUBLE_EQ(EstimateSavings(times, {.application = "hpcg"}, {}).front().saved_s, 10);
}

// Steered calls of libcoxcoll are compared with canaries of the job's own library.
TEST(SavingsTest, LibcoxcollCountsForTheJobsLibrary) {
  std::vector<CallTime> times = {At(0, "a", true, 2), At(1, "a", false, 1), At(2, "a", true, 2)};
  times[1].scenario.library = "coxcoll";
  const std::vector<Savings> rows = EstimateSavings(times, {}, {.library = true});
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[1].library, "openmpi-4.1");
  EXPECT_DOUBLE_EQ(rows[1].saved_s, 10);
}

// The timings may be of one collective, which a job ran by libcoxcoll only.
TEST(SavingsTest, AJobsLibraryIsKnownByTheCanariesOfItsCalls) {
  std::vector<CallTime> times = {At(0, "a", true, 2), At(1, "b", true, 2), At(2, "c", false, 1),
                                 At(2, "c", false, 1)};
  times[2].scenario.library = "coxcoll";
  times[3].scenario.collective = "allreduce";
  const std::vector<Savings> of_all =
      EstimateSavings(times, {}, {.library = true, .collective = true});
  ASSERT_EQ(of_all.size(), 3);
  EXPECT_EQ(of_all[1].collective, "bcast");
  EXPECT_DOUBLE_EQ(of_all[1].saved_s, 10);
  times.pop_back();
  const std::vector<Savings> of_one =
      EstimateSavings(times, {}, {.library = true, .collective = true});
  ASSERT_EQ(of_one.size(), 2);
  EXPECT_EQ(of_one[1].library, "openmpi-4.1");
  EXPECT_DOUBLE_EQ(of_one[1].saved_s, of_all[1].saved_s);
  EXPECT_DOUBLE_EQ(of_one[1].half_width_s, of_all[1].half_width_s);
  EXPECT_DOUBLE_EQ(EstimateSavings(times, {.library = "openmpi-4.1"}, {}).front().saved_s, 10);

  // Canaries of another call say nothing.
  times.push_back(At(0, "d", true, 5));
  times.back().scenario.library = "mpich-4.0";
  times.back().scenario.block_bytes = 2048;
  EXPECT_DOUBLE_EQ(EstimateSavings(times, {}, {}).front().saved_s, 10);
  // Of two libraries it may be either.
  times.back().scenario.block_bytes = times.front().scenario.block_bytes;
  EXPECT_EQ(EstimateSavings(times, {}, {}).front().calls, 10);
  EXPECT_EQ(EstimateSavings(times, {}, {}).front().compared_calls, 0);
}

TEST(SavingsTest, TimingsOfAllReportingRanksAreOneCall) {
  EXPECT_EQ(CallsOf("allreduce", 8, 80), 10);
  EXPECT_EQ(CallsOf("bcast", 8, 70), 10);
  EXPECT_EQ(CallsOf("bcast", 1, 3), 3);
  EXPECT_EQ(CallsOf("gather", 8, 10), 10);
  EXPECT_EQ(CallsOf("scan", 8, 10), 10);
}

// What one first job of some seconds brings, and what four canary jobs after the tuned ones bring.
TEST(SavingsTest, StoredCanariesAreCountedAlsoIfTheyAreNotCompared) {
  std::vector<CallTime> times;
  const auto add = [&times](const std::string& job, int64_t second, domain::CanaryArm arm) {
    const bool is_canary = arm == domain::CanaryArm::kCanary;
    times.push_back({.scenario = SavingCall(is_canary ? "default" : "chain", 1024),
                     .job = job,
                     .at_us = (1'700'000'010 + second) * kOneSecondUs,
                     .calls = 2000,
                     .time_s = 1e-5,
                     .arm = arm});
  };
  add("first", 0, domain::CanaryArm::kTuned);
  add("first", 1, domain::CanaryArm::kCanary);
  const Savings first = EstimateSavings(times, {}, {}).front();
  EXPECT_EQ(first.compared_calls, 0);
  EXPECT_EQ(first.canary_calls, 0);
  EXPECT_EQ(first.stored_canary_calls, 2000);
  for (int job = 1; job < 4; ++job) {
    add("canary-" + std::to_string(job), 100 * job, domain::CanaryArm::kCanary);
  }
  const std::vector<Savings> rows = EstimateSavings(times, {}, {.collective = true});
  ASSERT_EQ(rows.size(), 2u);
  for (const Savings& row : rows) {
    EXPECT_EQ(row.compared_calls, 2000);
    EXPECT_EQ(row.canary_calls, 4000) << "the later two have no tuned calls next to them";
    EXPECT_EQ(row.stored_canary_calls, 8000);
  }
}

TEST(SavingsTest, QuantilesOfStudentsT) {
  const std::pair<double, double> known[] = {{1, 6.314},  {2, 2.920},  {5, 2.015},  {9, 1.833},
                                             {10, 1.812}, {20, 1.725}, {60, 1.671}, {1e9, 1.645}};
  for (const auto& [freedom, quantile] : known) {
    EXPECT_NEAR(StudentQuantile95(freedom), quantile, 0.01 * quantile) << freedom;
  }
  for (double freedom = 1; freedom < 30; freedom += 0.1) {
    EXPECT_GE(StudentQuantile95(freedom), StudentQuantile95(freedom + 0.1)) << freedom;
  }
}

}  // namespace
}  // namespace cox::learn
