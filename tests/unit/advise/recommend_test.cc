#include "advise/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advise/placement/switch_tree.h"
#include "advise/predict.h"
#include "advise/what_if.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/limits.h"
#include "domain/profile.h"
#include "machines.h"
#include "strategy/scenario.h"

namespace cox::advise {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Candidate* FindRanked(const Answer& answer, const std::string& algorithm) {
  for (const Candidate& candidate : answer.ranked) {
    if (candidate.algorithm == algorithm) return &candidate;
  }
  return nullptr;
}

TEST(RecommendTest, NothingKnownAnswersDefault) {
  const Answer answer = Recommend(*MachineWith({}, {}), Ask("alltoall", 64), true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_EQ(answer.reason, "no data");
  EXPECT_EQ(answer.chosen.predicted_time_s, 0);
  EXPECT_EQ(answer.default_time_s, 0);
  EXPECT_EQ(answer.model, "");
  EXPECT_EQ(answer.chosen.native_id, -1);
  EXPECT_THAT(answer.ranked, IsEmpty());
}

TEST(RecommendTest, ABetterAlgorithmIsRecommended) {
  // The default takes three times as long as pairwise's price.
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  AddPriced("alltoall", "pairwise", 1, &cells);
  const Answer answer = Recommend(*MachineWith(cells), Ask("alltoall", 4096), true);
  EXPECT_NE(answer.chosen.algorithm, "default");
  EXPECT_LT(answer.chosen.predicted_time_s, 0.5 * answer.default_time_s);
  EXPECT_GE(answer.chosen.native_id, 1);
  EXPECT_THAT(answer.chosen.strategy, HasSubstr("alltoall/"));
  EXPECT_EQ(answer.model, "hockney");
  EXPECT_THAT(answer.reason, HasSubstr("of the default's time"));
}

constexpr int64_t kPacketBytes = 1500;

// The cluster of Tam and Wang (Table 1, packets of 1500 bytes), and what libcoxcoll's default took
// on it: all ranks sent at once, and lost packets waited for timers. Each rank has its own node.
MachinePointer LossyCluster(int64_t ranks, int64_t packets) {
  domain::Profile profile;
  for (const auto& [name, value] :
       {std::pair("O_s", 44.32e-6), std::pair("g_s", 122.427e-6), std::pair("g_r", 123.186e-6),
        std::pair("L", 16.684e-6), std::pair("L_byte", 0.0826e-6),
        std::pair("L_processor", 1.556e-6), std::pair("O_r", 76.526e-6), std::pair("U_r", 9.93e-6),
        std::pair("B_L", 1935.0), std::pair("packet", 1500.0)}) {
    profile.Set(learn::MakeParameter("cluster", domain::Level::kNetwork, name, value));
  }
  // The paper's switch carries 90 bytes/us; that of more ranks has no limit.
  if (ranks <= 16) {
    profile.Set(learn::MakeParameter("cluster", domain::Level::kNetwork, "switch_byte", 1e-6 / 90));
  }
  // M_mtm: what a tree's ranks take to hand blocks on.
  profile.Set(learn::MakeParameter("cluster", domain::Level::kSelf, "copy", 0.0314e-6));
  learn::Cell cell = learn::MakeCell("gather", "linear", ranks, 1, packets * kPacketBytes, 1);
  cell.library = "coxcoll";
  cell.mean_log_time = std::log(2 * learn::PriceOf(cell, profile, "cluster"));
  cell.weight = 20;
  cell.algorithm = "default";
  return BuildMachineView("test", ranks, 1, 3, profile, {cell});
}

Question AskGather(int64_t ranks, int64_t packets) {
  Question question;
  question.library = "coxcoll";
  question.collective = "gather";
  question.nodes = question.ranks = ranks;
  question.ppn = 1;
  question.block_bytes = packets * kPacketBytes;
  return question;
}

// The buffer lets so many senders go at once (Tam and Wang, Eqs. (5) to (7)): with more, packets
// are lost. libcoxcoll takes any window, and its table lists the first eight.
TEST(RecommendTest, TheComputedWindowIsRecommended) {
  for (const auto& [ranks, packets, window] :
       {std::tuple(16, 175, "windowed?window=12"), std::tuple(64, 130, "windowed?window=15"),
        std::tuple(64, 43, "windowed?window=45")}) {
    const Answer answer = Recommend(*LossyCluster(ranks, packets), AskGather(ranks, packets), true);
    EXPECT_EQ(answer.chosen.algorithm, window) << answer.reason;
    EXPECT_EQ(answer.chosen.strategy, absl::StrCat("gather/", window));
    EXPECT_THAT(answer.reason, HasSubstr("of the default's time"));
    for (const char* const narrow : {"windowed?window=1", "windowed?window=8", "linear"}) {
      const Candidate* const other = FindRanked(answer, narrow);
      ASSERT_NE(other, nullptr) << narrow;
      EXPECT_LT(answer.chosen.predicted_time_s, other->predicted_time_s) << narrow;
    }
  }
}

TEST(RecommendTest, AWindowIsNoCandidateWhereAllFitOrTheTableListsIt) {
  const auto windows_of = [](int64_t ranks, int64_t packets) {
    int found = 0;
    for (const Candidate& candidate :
         Recommend(*LossyCluster(ranks, packets), AskGather(ranks, packets), true).ranked) {
      found += absl::StartsWith(candidate.algorithm, "windowed") ? 1 : 0;
    }
    return found;
  };
  EXPECT_EQ(windows_of(16, 700), 8) << "three senders: the table has it";
  EXPECT_EQ(windows_of(16, 100), 8) << "fifteen senders: all at once";
  EXPECT_EQ(windows_of(16, 175), 9);
}

// BSP has no cost of a message, and is right about the broadcasts. It was selected, and priced a
// thousand messages at once at 9 us: a switch to them was advised.
TEST(RecommendTest, WhatNobodyTimedAndModelsDisagreeAboutIsNotSwitched) {
  domain::Profile profile = learn::HockneyProfile(3e-6, 4e-10, 3e-6, 4e-10);
  profile.Set(learn::MakeParameter("bsp", domain::Level::kNetwork, "g", 4e-10));
  profile.Set(learn::MakeParameter("bsp", domain::Level::kNetwork, "L", 2.5e-6));
  std::vector<learn::Cell> cells;
  for (int64_t nodes = 4; nodes <= 256; nodes *= 2) {
    for (int64_t bytes = 16; bytes <= 1 << 16; bytes *= 4) {
      learn::Cell cell = learn::MakeCell("bcast", "binomial", nodes, 1, bytes, 1);
      cell.mean_log_time = std::log(learn::PriceOf(cell, profile, "bsp"));
      cells.push_back(cell);
    }
  }
  const MachinePointer machine = BuildMachineView("test", 1024, 1, 3, profile, cells);
  Question question = Ask("alltoall", 16);
  question.nodes = question.ranks = 1024;
  question.ppn = 1;
  const Answer answer = Recommend(*machine, question, true);
  ASSERT_EQ(answer.model, "bsp");
  EXPECT_EQ(answer.default_algorithm, "modified_bruck");
  EXPECT_THAT(answer.chosen.algorithm, AnyOf("default", "modified_bruck"));
  const Candidate* linear = FindRanked(answer, "linear");
  ASSERT_NE(linear, nullptr);
  EXPECT_LT(linear->predicted_time_s, 1e-5);
  EXPECT_GT(linear->high_s, 1023 * 3e-6) << "a start-up for each message";

  // A price has no interval: its caveat says so.
  strategy::Scenario scenario;
  scenario.collective = domain::Collective::kAlltoall;
  scenario.ranks = 1024;
  scenario.block_bytes = 16;
  const auto untimed = Predict(*machine, scenario, "alltoall/linear", "");
  ASSERT_TRUE(untimed.ok()) << untimed.status();
  EXPECT_THAT(untimed->front().caveat, HasSubstr("differ by a factor of"));
  // Links and other values change the price, not what models learned.
  const auto tree = SwitchTree::Parse(
      "SwitchName=a Nodes=n[1-512] Taper=9\nSwitchName=b Nodes=n[513-1024] Taper=9\n"
      "SwitchName=top Switches=a,b");
  ASSERT_TRUE(tree.ok()) << tree.status();
  const auto nodes = tree->Find("n[1-1024]", 0);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  const auto linked = Predict(*machine, scenario, "alltoall/linear", "", &*nodes);
  ASSERT_TRUE(linked.ok()) << linked.status();
  EXPECT_GT(linked->front().cost.TotalSeconds(), untimed->front().cost.TotalSeconds());
  EXPECT_THAT(linked->front().caveat, HasSubstr(untimed->front().caveat));
  const Change change{.parameter = "bsp.g", .kind = Change::Kind::kFactor, .amount = 100};
  const auto changed = WithChanges(machine, {&change, 1});
  ASSERT_TRUE(changed.ok()) << changed.status();
  const auto what_if = Predict(**changed, scenario, "alltoall/linear", "");
  ASSERT_TRUE(what_if.ok()) << what_if.status();
  EXPECT_EQ(what_if->front().caveat, "");
  scenario.collective = domain::Collective::kBcast;
  scenario.ranks = 256;
  const auto timed = Predict(*machine, scenario, "bcast/binomial", "");
  ASSERT_TRUE(timed.ok()) << timed.status();
  EXPECT_EQ(timed->front().caveat, "");
}

TEST(RecommendTest, WhatTheLibraryRunsByItselfIsNoAlternative) {
  // 1 MiB: the default is linear_sync. Its own timings are ten times faster than the default's,
  // although the code is the same.
  std::vector<learn::Cell> cells;
  AddPriced("alltoall", "linear_sync", 0.1, &cells);
  AddDefault("alltoall", "linear_sync", 0.1, &cells);
  const Answer answer = Recommend(*MachineWith(cells), Ask("alltoall", 1 << 20), false);
  EXPECT_EQ(answer.default_algorithm, "linear_sync");
  EXPECT_NE(answer.chosen.algorithm, "linear_sync");
}

// Jobs timed the default often at this very call, and benchmarks the table's algorithm: 1.5 times
// as long. Only one algorithm was timed in both ways, so the error of jobs' times is hardly known.
TEST(RecommendTest, ADefaultThatOnlyJobsTimedIsKeptWhereItIsFaster) {
  constexpr int64_t kBytes = 1 << 20;
  const auto timed = [](const std::string& algorithm, domain::CellKind kind, double weight,
                        double factor) {
    learn::Cell cell = learn::MakeCell("alltoall", algorithm, 8, 4, kBytes, 1);
    learn::Cell like = learn::MakeCell("alltoall", "linear_sync", 8, 4, kBytes, 1);
    cell.mean_log_time = std::log(factor * learn::PriceOf(like, KnownProfile()));
    cell.kind = kind;
    cell.weight = weight;
    return cell;
  };
  using domain::CellKind;
  std::vector<learn::Cell> cells = {timed("default", CellKind::kJob, 10'000, 0.1),
                                    timed("linear_sync", CellKind::kBenchmark, 20, 0.15),
                                    timed("pairwise", CellKind::kJob, 20, 4),
                                    timed("pairwise", CellKind::kBenchmark, 20, 4)};
  const Answer answer = Recommend(*MachineWith(cells), Ask("alltoall", kBytes), true);
  EXPECT_EQ(answer.default_algorithm, "linear_sync");
  const Candidate* of_default = FindRanked(answer, "default");
  const Candidate* of_table = FindRanked(answer, "linear_sync");
  ASSERT_TRUE(of_default != nullptr && of_table != nullptr);
  EXPECT_GT(of_default->own_sigma, 0.2);
  EXPECT_LT(of_table->own_sigma, of_default->own_sigma);
  EXPECT_LT(of_default->predicted_time_s, of_table->predicted_time_s);
  EXPECT_EQ(answer.chosen.algorithm, "default") << answer.reason;
}

// Ranks of jobs wait for each other within a call: the time of a job and that of a benchmark show
// no gain if no call was timed in both ways.
TEST(RecommendTest, ADefaultOfJobsAloneIsNotSlowerThanBenchmarksOfOthers) {
  std::vector<learn::Cell> cells;
  AddDefault("bcast", "binomial", 5, &cells);
  for (learn::Cell& cell : cells) cell.kind = domain::CellKind::kJob;
  std::vector<learn::Cell> both = cells;
  AddPriced("bcast", "pipeline", 1, &cells);
  AddPriced("bcast", "knomial", 1, &cells);
  const Answer answer = Recommend(*MachineWith(cells), Ask("bcast", 512), true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_THAT(answer.reason, HasSubstr("only jobs timed it and only benchmarks timed"));
  // Jobs that tried another algorithm, too, show the gain.
  AddPriced("bcast", "knomial", 1, &both);
  for (learn::Cell& cell : both) cell.kind = domain::CellKind::kJob;
  AddPriced("bcast", "pipeline", 9, &both);
  EXPECT_EQ(Recommend(*MachineWith(both), Ask("bcast", 512), true).chosen.algorithm, "knomial");
}

TEST(RecommendTest, SaysWhatTheLibraryRunsByItself) {
  EXPECT_EQ(Recommend(*MachineWith({}), Ask("alltoall", 16), false).default_algorithm,
            "modified_bruck");
  EXPECT_EQ(Recommend(*MachineWith({}), Ask("alltoall", 1 << 20), false).default_algorithm,
            "linear_sync");
  // A default that takes ten times as long as the table's algorithm contradicts the table.
  std::vector<learn::Cell> cells;
  for (const char* algorithm : {"linear", "linear_sync", "modified_bruck", "pairwise"}) {
    AddPriced("alltoall", algorithm, 1, &cells);
  }
  AddDefault("alltoall", "pairwise", 10, &cells);
  EXPECT_EQ(Recommend(*MachineWith(cells), Ask("alltoall", 16), false).default_algorithm, "");
  Question unknown = Ask("alltoall", 16);
  unknown.library = "somebody's own";
  EXPECT_EQ(Recommend(*MachineWith({}), unknown, false).default_algorithm, "");
}

TEST(RecommendTest, IntervalsHoldThePredictionAndAreOrdered) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  const Answer answer = Recommend(*MachineWith(cells), Ask("alltoall", 4096), true);
  ASSERT_GE(answer.ranked.size(), 4U);
  for (size_t i = 0; i < answer.ranked.size(); ++i) {
    const Candidate& candidate = answer.ranked[i];
    EXPECT_GT(candidate.low_s, 0);
    EXPECT_LT(candidate.low_s, candidate.predicted_time_s);
    EXPECT_LT(candidate.predicted_time_s, candidate.high_s);
    if (i > 0) {
      EXPECT_LE(answer.ranked[i - 1].predicted_time_s, candidate.predicted_time_s);
    }
  }
  // A measured time is more certain than a price.
  const Candidate* the_default = FindRanked(answer, "default");
  const Candidate* priced = FindRanked(answer, "modified_bruck");
  ASSERT_TRUE(the_default != nullptr && priced != nullptr);
  EXPECT_LT(the_default->high_s / the_default->low_s, priced->high_s / priced->low_s);
  EXPECT_GT(the_default->support, 0);
  EXPECT_EQ(priced->support, 0);
}

TEST(RecommendTest, AGainWithinTheFloorIsNoReasonToSwitch) {
  // Everything is measured and known well; pairwise is 2 % faster than the default.
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 1, &cells);
  AddPriced("alltoall", "pairwise", 0.98, &cells);
  Question question = Ask("alltoall", 4096);
  question.candidates = {"default", "pairwise"};
  const Answer answer = Recommend(*MachineWith(cells), question, true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_THAT(answer.reason,
              AnyOf(HasSubstr("no clear gain"), HasSubstr("no candidate is predicted")));
}

TEST(RecommendTest, AnUncertainGainIsNoReasonToSwitch) {
  // Pairwise is only priced, and 25 % faster than the default's measured time: within what a price
  // may be wrong by.
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 1.33, &cells);
  Question question = Ask("alltoall", 4096);
  question.candidates = {"default", "pairwise"};
  const Answer uncertain = Recommend(*MachineWith(cells), question, true);
  EXPECT_EQ(uncertain.chosen.algorithm, "default");
  EXPECT_THAT(uncertain.reason, HasSubstr("no clear gain"));
  // Once pairwise was measured, the same gain is enough.
  AddPriced("alltoall", "pairwise", 1, &cells);
  EXPECT_EQ(Recommend(*MachineWith(cells), question, true).chosen.algorithm, "pairwise");
}

// What jobs saw: all calls take half as long again, and each algorithm is `faster` than the
// default.
void AddByJobs(const std::string& algorithm, double faster, std::vector<learn::Cell>* cells) {
  const std::vector<learn::Cell> benchmarks = *cells;
  for (const learn::Cell& cell : benchmarks) {
    if (cell.algorithm != "default" || cell.kind != domain::CellKind::kBenchmark) continue;
    learn::Cell in_job = cell;
    in_job.kind = domain::CellKind::kJob;
    in_job.algorithm = algorithm;
    in_job.mean_log_time += std::log(1.5 / faster);
    in_job.weight = 200;
    cells->push_back(in_job);
  }
}

TEST(RecommendTest, ADisprovedPromiseIsNotFollowedByTheNext) {
  // By a benchmark three algorithms are much faster than the default.
  std::vector<learn::Cell> cells;
  AddDefault("bcast", "pipeline", 1, &cells);
  const std::vector<learn::Cell> defaults = cells;
  for (const auto& [algorithm, faster] :
       {std::pair("binomial", 1.56), std::pair("binary_tree", 1.52), std::pair("knomial", 1.5)}) {
    for (learn::Cell cell : defaults) {
      cell.algorithm = algorithm;
      cell.mean_log_time -= std::log(faster);
      cells.push_back(cell);
    }
  }
  Question question = Ask("bcast", 4096);
  question.candidates = {"default", "binomial", "binary_tree", "knomial"};
  EXPECT_EQ(Recommend(*MachineWith(cells), question, false).chosen.algorithm, "binomial");
  AddByJobs("default", 1, &cells);
  EXPECT_EQ(Recommend(*MachineWith(cells), question, false).chosen.algorithm, "binomial");
  // Jobs found the same gain: it stays.
  std::vector<learn::Cell> kept = cells;
  AddByJobs("binomial", 1.56, &kept);
  EXPECT_EQ(Recommend(*MachineWith(kept), question, false).chosen.algorithm, "binomial");
  // They found none.
  AddByJobs("binomial", 1, &cells);
  const Answer answer = Recommend(*MachineWith(cells), question, false);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_THAT(answer.reason, HasSubstr("jobs gained less here than benchmarks promise"));
  // One of the others shows its gain in a job.
  AddByJobs("knomial", 1.5, &cells);
  EXPECT_EQ(Recommend(*MachineWith(cells), question, false).chosen.algorithm, "knomial");
}

TEST(RecommendTest, WithoutTheDefaultsTimeNoGainCanBeShown) {
  std::vector<learn::Cell> cells;
  AddPriced("alltoall", "pairwise", 1, &cells);
  Question question = Ask("alltoall", 4096);
  question.library = "a-library-without-a-table";
  for (learn::Cell& cell : cells) cell.library = question.library;
  const Answer answer = Recommend(*MachineWith(cells), question, true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_EQ(answer.default_time_s, 0);
  EXPECT_THAT(answer.reason, HasSubstr("no data about the default's own time"));
}

TEST(RecommendTest, TheDefaultIsPricedByTheLibrarysOwnDecision) {
  // Open MPI's default for 32 ranks and 4 KiB blocks is linear.
  const Answer answer = Recommend(*MachineWith({}), Ask("alltoall", 4096), true);
  const Candidate* the_default = FindRanked(answer, "default");
  const Candidate* linear = FindRanked(answer, "linear");
  ASSERT_TRUE(the_default != nullptr && linear != nullptr);
  EXPECT_EQ(the_default->predicted_time_s, linear->predicted_time_s);
  EXPECT_GT(the_default, linear)
      << "of two names for the same code the algorithm's own comes first";
  EXPECT_EQ(answer.default_time_s, the_default->predicted_time_s);
  EXPECT_EQ(the_default->native_id, -1);
  EXPECT_EQ(the_default->strategy, "");
  EXPECT_EQ(the_default->support, 0);
}

TEST(RecommendTest, WithoutItsOwnTimesTheDefaultTakesWhatItPicks) {
  // Linear, Open MPI's default here, is known to be six times slower than its price.
  std::vector<learn::Cell> cells;
  AddPriced("alltoall", "linear", 6, &cells);
  AddPriced("alltoall", "pairwise", 1, &cells);
  const Answer answer = Recommend(*MachineWith(cells), Ask("alltoall", 4096), true);
  const Candidate* the_default = FindRanked(answer, "default");
  const Candidate* linear = FindRanked(answer, "linear");
  ASSERT_TRUE(the_default != nullptr && linear != nullptr);
  EXPECT_NEAR(the_default->predicted_time_s / linear->predicted_time_s, 1, 1e-9);
  EXPECT_EQ(the_default->support, 0);
  // The default may differ from the table.
  EXPECT_GT(the_default->high_s / the_default->low_s, linear->high_s / linear->low_s);
}

TEST(RecommendTest, APriceAloneIsNoReasonForASmallGain) {
  // Nothing was observed, so prices may be off by some factor. A switch from the default must gain
  // more than that.
  int named = 0;
  for (const char* collective : {"alltoall", "allgather", "allreduce", "bcast"}) {
    for (int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2) {
      const Answer answer = Recommend(*MachineWith({}), Ask(collective, bytes), false);
      if (answer.chosen.algorithm == "default") continue;
      if (answer.chosen.algorithm == answer.default_algorithm) {
        // Naming it costs nothing, and helps where a site's settings change the default.
        EXPECT_THAT(answer.reason, HasSubstr("what the default should run, which was not timed"));
        ++named;
        continue;
      }
      EXPECT_LT(answer.chosen.predicted_time_s, 0.75 * answer.default_time_s)
          << collective << " " << bytes << " " << answer.chosen.algorithm;
      EXPECT_THAT(answer.reason, HasSubstr("was not timed"));
    }
  }
  EXPECT_GT(named, 0);
}

TEST(RecommendTest, WhatTimingsShowOfPricesMovesThePricesOfOthers) {
  // The default runs linear here. Prices of the same model are off alike.
  const Answer by_price = Recommend(*MachineWith({}), Ask("alltoall", 4096), true);
  for (const double factor : {3.0, 1.0 / 3}) {
    std::vector<learn::Cell> cells;
    AddDefault("alltoall", "linear", factor, &cells);
    const Answer answer = Recommend(*MachineWith(cells), Ask("alltoall", 4096), true);
    for (const char* name : {"pairwise", "modified_bruck"}) {
      const Candidate* untimed = FindRanked(answer, name);
      const Candidate* priced = FindRanked(by_price, name);
      ASSERT_TRUE(untimed != nullptr && priced != nullptr);
      const double moved = untimed->predicted_time_s / priced->predicted_time_s;
      if (factor > 1) {
        // One algorithm of one and a half: two thirds of ln 3.
        EXPECT_NEAR(moved, std::pow(3, 2.0 / 3), 0.2) << name;
      } else {
        EXPECT_NEAR(moved, 1, 1e-9) << "a price that others do not support is no gain";
      }
    }
    EXPECT_EQ(answer.chosen.algorithm, "default") << answer.reason;
  }
}

TEST(RecommendTest, WhatTheDefaultTakesDoesNotDependOnTheCandidates) {
  std::vector<learn::Cell> cells;
  AddPriced("alltoall", "linear", 2, &cells);
  AddPriced("alltoall", "modified_bruck", 1.5, &cells);
  const MachinePointer machine = MachineWith(cells);
  for (const int64_t bytes : {8, 512, 4096, 32768}) {
    Question question = Ask("alltoall", bytes);
    const Answer of_all = Recommend(*machine, question, true);
    question.candidates = {"default", "pairwise"};
    const Answer of_two = Recommend(*machine, question, true);
    EXPECT_EQ(of_two.default_time_s, of_all.default_time_s) << bytes;
    const Candidate* one = FindRanked(of_two, "pairwise");
    const Candidate* other = FindRanked(of_all, "pairwise");
    ASSERT_TRUE(one != nullptr && other != nullptr);
    EXPECT_EQ(one->predicted_time_s, other->predicted_time_s) << bytes;
    EXPECT_EQ(FindRanked(of_two, "default")->high_s, FindRanked(of_all, "default")->high_s)
        << bytes;
  }
}

TEST(RecommendTest, OnlyTheDefaultIsKnown) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 1, &cells);
  const Answer answer = Recommend(*MachineWith(cells, {}), Ask("alltoall", 4096), true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_GT(answer.default_time_s, 0);
  EXPECT_THAT(answer.reason, HasSubstr("no data about any alternative"));
}

TEST(RecommendTest, CandidatesAreAllThatIsChosenFrom) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 5, &cells);
  Question question = Ask("alltoall", 4096);
  question.candidates = {"modified_bruck"};
  const Answer answer = Recommend(*MachineWith(cells), question, true);
  EXPECT_EQ(answer.chosen.algorithm, "modified_bruck");
  EXPECT_EQ(answer.ranked.size(), 1U);
  EXPECT_GT(answer.default_time_s, 0) << "known, although not a candidate";
  EXPECT_THAT(answer.reason, HasSubstr("the default is not a candidate"));

  question.candidates = {"no_such_algorithm"};
  const Answer unknown = Recommend(*MachineWith(cells), question, true);
  EXPECT_EQ(unknown.chosen.algorithm, "default");
  EXPECT_EQ(unknown.reason, "no data");
}

TEST(RecommendTest, WhatIsWrongForSomeOperationsMustBeAskedFor) {
  std::vector<learn::Cell> cells;
  AddDefault("allreduce", "ring", 4, &cells);
  AddPriced("allreduce", "ring", 0.25, &cells);
  const MachinePointer machine = MachineWith(cells);
  Question question = Ask("allreduce", 1 << 20);

  const Answer cautious = Recommend(*machine, question, true);
  EXPECT_THAT(cautious.chosen.algorithm, Not(AnyOf("ring", "segmented_ring")));
  EXPECT_EQ(FindRanked(cautious, "ring"), nullptr);
  EXPECT_EQ(FindRanked(cautious, "segmented_ring"), nullptr);

  question.assume.commutative = true;
  const Answer promised = Recommend(*machine, question, true);
  EXPECT_EQ(promised.chosen.algorithm, "ring");
  EXPECT_THAT(promised.reason, Not(HasSubstr("wrong")));

  question.assume.commutative = false;
  question.candidates = {"default", "ring"};
  const Answer named = Recommend(*machine, question, true);
  EXPECT_EQ(named.chosen.algorithm, "ring");
  EXPECT_THAT(named.reason, HasSubstr("wrong for operations that do not commute"));
}

TEST(RecommendTest, AFallbackIsPricedAsWhatRuns) {
  const MachinePointer machine = MachineWith({});
  // 8 elements on 32 ranks: ring runs recursive doubling, rabenseifner runs basic_linear.
  Question question = Ask("allreduce", 32);
  question.assume.commutative = true;
  const Answer few = Recommend(*machine, question, true);
  ASSERT_NE(FindRanked(few, "ring"), nullptr);
  EXPECT_EQ(FindRanked(few, "ring")->predicted_time_s,
            FindRanked(few, "recursive_doubling")->predicted_time_s);
  EXPECT_EQ(FindRanked(few, "ring")->strategy, "allreduce/recursive-doubling");
  EXPECT_EQ(FindRanked(few, "rabenseifner")->predicted_time_s,
            FindRanked(few, "basic_linear")->predicted_time_s);
  // With enough elements they are themselves.
  question.block_bytes = 1 << 20;
  const Answer many = Recommend(*machine, question, true);
  EXPECT_NE(FindRanked(many, "ring")->predicted_time_s,
            FindRanked(many, "recursive_doubling")->predicted_time_s);

  // 30 ranks: not a power of two. 27: odd.
  Question gather = Ask("allgather", 64);
  gather.ranks = 30;
  const Answer thirty = Recommend(*machine, gather, true);
  EXPECT_EQ(FindRanked(thirty, "recursive_doubling")->predicted_time_s,
            FindRanked(thirty, "bruck")->predicted_time_s);
  gather.ranks = 27;
  const Answer odd = Recommend(*machine, gather, true);
  EXPECT_EQ(FindRanked(odd, "neighbor")->predicted_time_s,
            FindRanked(odd, "ring")->predicted_time_s);
}

TEST(RecommendTest, OfTwoNamesForTheSameCodeItsOwnIsGiven) {
  const MachinePointer machine = MachineWith({});
  Question question = Ask("allgather", 8);
  question.ranks = 30;
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"recursive_doubling", "bruck"},
        std::vector<std::string>{"bruck", "recursive_doubling"}}) {
    question.candidates = order;
    EXPECT_EQ(Recommend(*machine, question, true).chosen.algorithm, "bruck");
  }
}

TEST(RecommendTest, WhatTheLibraryRefusesIsNoCandidate) {
  const MachinePointer machine = MachineWith({});
  const Answer many = Recommend(*machine, Ask("alltoall", 64), true);
  EXPECT_EQ(FindRanked(many, "two_proc"), nullptr);
  Question two = Ask("alltoall", 64);
  two.ranks = 2;
  EXPECT_NE(FindRanked(Recommend(*machine, two, true), "two_proc"), nullptr);
}

TEST(RecommendTest, ASingleRankMovesNothing) {
  Question question = Ask("alltoall", 64);
  question.ranks = 1;
  const Answer answer = Recommend(*MachineWith({}), question, true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_EQ(answer.reason, "a single rank moves nothing");
}

TEST(RecommendTest, MoreRanksPerNodeThanRanksIsOneNode) {
  const MachinePointer machine = MachineWith({});
  Question wide = Ask("alltoall", 4096);
  wide.nodes = 0;
  wide.ppn = 64;
  wide.ranks = 4;
  Question exact = wide;
  exact.ppn = 4;
  const Answer a = Recommend(*machine, wide, true);
  const Answer b = Recommend(*machine, exact, true);
  EXPECT_EQ(FindRanked(a, "pairwise")->predicted_time_s,
            FindRanked(b, "pairwise")->predicted_time_s);
}

TEST(RecommendTest, ExtremeQuestionsStayFinite) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  const MachinePointer machine = MachineWith(cells);
  for (const auto& [ranks, bytes] :
       {std::pair(domain::kMaxRanks, domain::kMaxBlockBytes),
        std::pair(domain::kMaxRanks, int64_t{0}), std::pair(int64_t{2}, domain::kMaxBlockBytes),
        std::pair(int64_t{2}, int64_t{0})}) {
    for (const char* collective : {"alltoall", "bcast", "allreduce", "allgather"}) {
      Question question = Ask(collective, bytes);
      question.nodes = 0;
      question.ppn = 1;
      question.ranks = ranks;
      ASSERT_TRUE(Validate(question).ok());
      for (const Candidate& candidate : Recommend(*machine, question, true).ranked) {
        EXPECT_TRUE(std::isfinite(candidate.predicted_time_s)) << candidate.algorithm;
        EXPECT_TRUE(std::isfinite(candidate.high_s)) << candidate.algorithm;
        EXPECT_GT(candidate.low_s, 0) << candidate.algorithm;
      }
    }
  }
}

TEST(RecommendTest, AlgorithmsThatNoTableKnowsAreNotRecommended) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  AddDefault("alltoall", "pairwise", 0.5, &cells);
  for (size_t i = cells.size() / 2; i < cells.size(); ++i) cells[i].algorithm = "node_aware";
  const MachinePointer machine = MachineWith(cells);
  Question question = Ask("alltoall", 4096);
  const Answer answer = Recommend(*machine, question, true);
  EXPECT_NE(answer.chosen.algorithm, "node_aware");
  for (const Candidate& candidate : answer.ranked) EXPECT_NE(candidate.algorithm, "node_aware");
  // Whoever names it can run it.
  question.candidates = {"default", "node_aware"};
  ASSERT_TRUE(Validate(*machine, question).ok());
  const Answer named = Recommend(*machine, question, true);
  EXPECT_EQ(named.chosen.algorithm, "node_aware");
  EXPECT_EQ(named.chosen.native_id, -1);
  EXPECT_EQ(named.chosen.strategy, "");
}

TEST(RecommendTest, ACollectiveThatOnlyObservationsKnowIsAnswered) {
  std::vector<learn::Cell> cells;
  for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
    const double fast_s = 1e-5 + 1e-9 * static_cast<double>(bytes);
    cells.push_back(learn::MakeCell("neighbor_allgather", "default", 8, 4, bytes, 4 * fast_s));
    cells.push_back(learn::MakeCell("neighbor_allgather", "neighbor", 8, 4, bytes, fast_s));
  }
  const MachinePointer machine = MachineWith(cells, {});
  const Question question = Ask("neighbor_allgather", 2048);
  ASSERT_TRUE(Validate(*machine, question).ok());
  const Answer answer = Recommend(*machine, question, true);
  EXPECT_EQ(answer.chosen.algorithm, "neighbor");
  EXPECT_NEAR(answer.chosen.predicted_time_s, 1e-5 + 2048e-9, 3e-6);
}

TEST(RecommendTest, AnUnobservedCollectiveOfAnObservedLibraryKeepsTheDefault) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  for (learn::Cell& cell : cells) cell.library = "somebodys-mpi-1.0";
  const MachinePointer machine = MachineWith(cells);
  Question question = Ask("bcast", 2048);
  question.library = "somebodys-mpi-1.0";
  // No table says which collectives this library has, so any may be asked about.
  for (const char* collective : {"bcast", "neighbor_alltoall"}) {
    question.collective = collective;
    for (const bool names_candidates : {false, true}) {
      question.candidates.clear();
      if (names_candidates) question.candidates = {"default", "torus"};
      ASSERT_TRUE(Validate(*machine, question).ok()) << collective;
      const Answer answer = Recommend(*machine, question, true);
      EXPECT_EQ(answer.chosen.algorithm, "default") << collective;
      EXPECT_EQ(answer.reason, "no data") << collective;
      EXPECT_THAT(answer.ranked, IsEmpty()) << collective;
    }
  }
  question.library = "openmpi-4.1";
  EXPECT_EQ(domain::FieldOf(Validate(*machine, question)), "collective");
}

TEST(RecommendTest, AnAnswerDoesNotDependOnTheQuestionsBefore) {
  // A batch is the same questions one after another on one thread's scratch.
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  AddDefault("allreduce", "rabenseifner", 2, &cells);
  const MachinePointer machine = MachineWith(cells);
  std::vector<Question> batch;
  for (int64_t bytes = 1; bytes <= 1 << 22; bytes *= 4) {
    for (const char* collective : {"alltoall", "allreduce", "allgather", "bcast"}) {
      batch.push_back(Ask(collective, bytes));
    }
  }
  std::vector<Answer> forwards;
  forwards.reserve(batch.size());
  for (const Question& question : batch) forwards.push_back(Recommend(*machine, question, false));
  for (size_t i = batch.size(); i-- > 0;) {
    const Answer again = Recommend(*machine, batch[i], true);
    EXPECT_EQ(again.chosen.algorithm, forwards[i].chosen.algorithm);
    EXPECT_EQ(again.chosen.predicted_time_s, forwards[i].chosen.predicted_time_s);
    EXPECT_EQ(again.reason, forwards[i].reason);
    EXPECT_THAT(forwards[i].ranked, IsEmpty());
  }
}

TEST(RecommendTest, ValidateNamesTheField) {
  const auto field_of = [](auto spoil) {
    Question question = Ask("alltoall", 64);
    spoil(question);
    const absl::Status status = Validate(question);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return domain::FieldOf(status);
  };
  EXPECT_TRUE(Validate(Ask("alltoall", 64)).ok());
  EXPECT_EQ(field_of([](Question& q) { q.library = ""; }), "library");
  EXPECT_EQ(field_of([](Question& q) { q.collective = ""; }), "collective");
  EXPECT_EQ(field_of([](Question& q) { q.ranks = 0; }), "ranks");
  EXPECT_EQ(field_of([](Question& q) { q.ranks = 33; }), "ranks");
  EXPECT_EQ(field_of([](Question& q) { q.ranks = std::numeric_limits<int64_t>::max(); }), "ranks");
  EXPECT_EQ(field_of([](Question& q) { q.ppn = 0; }), "ppn");
  EXPECT_EQ(field_of([](Question& q) { q.nodes = -1; }), "nodes");
  EXPECT_EQ(field_of([](Question& q) { q.block_bytes = -1; }), "block_bytes");
  EXPECT_EQ(field_of([](Question& q) { q.block_bytes = std::numeric_limits<int64_t>::max(); }),
            "block_bytes");
  EXPECT_EQ(field_of([](Question& q) { q.type_bytes = 0; }), "type_bytes");
  EXPECT_EQ(field_of([](Question& q) { q.candidates = {"pairwise", ""}; }), "candidates[1]");

  Question foreign = Ask("alltoall", 64);
  foreign.library = "openmpi";
  EXPECT_EQ(domain::FieldOf(Validate(*MachineWith({}), foreign)), "library");

  const absl::Status unknown = Validate(*MachineWith({}), Ask("transpose", 64));
  EXPECT_EQ(domain::FieldOf(unknown), "collective");
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("transpose"));
}

}  // namespace
}  // namespace cox::advise
