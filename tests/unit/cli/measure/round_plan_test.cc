#include "cli/measure/round_plan.h"

#include <cox/v1/advice.pb.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "topology/powers_of_two.h"

namespace cox::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kNoLimit_s = 1e9;

class RoundPlanTest : public ::testing::Test {
 protected:
  void Suggest(const char* collective, const char* algorithm, int64_t ranks, int64_t block_bytes,
               double gain, double predicted_time_s = 0) {
    v1::SuggestedMeasurement* one = answer_.add_suggestions();
    one->set_expected_gain_ratio(gain);
    one->set_predicted_time_s(predicted_time_s);
    v1::MeasurementCandidate* candidate = one->mutable_measurement();
    candidate->set_collective(collective);
    candidate->set_algorithm(algorithm);
    candidate->set_nodes(ranks);
    candidate->set_ppn(1);
    candidate->set_ranks(ranks);
    candidate->set_block_bytes(block_bytes);
  }

  std::vector<const v1::SuggestedMeasurement*> all() const {
    std::vector<const v1::SuggestedMeasurement*> all;
    for (const v1::SuggestedMeasurement& one : answer_.suggestions()) all.push_back(&one);
    return all;
  }

  const JobCosts costs_ = {.start_s = 2, .cell_s = 0.5, .calls = 10, .slowness = 1};
  v1::SuggestMeasurementsResponse answer_;
};

TEST_F(RoundPlanTest, AJobHasOneAlgorithmOfEachCollective) {
  Suggest("bcast", "binomial", 4, 8, 0.1);
  Suggest("bcast", "pipeline", 4, 8, 0.1);
  Suggest("alltoall", "default", 4, 8, 0.1);
  Suggest("alltoall", "bruck", 4, 8, 0.1);
  Suggest("bcast", "binomial", 4, 64, 0.1);
  Suggest("bcast", "binomial", 2, 64, 0.1);
  const RoundPlan plan = PlanRound(all(), costs_, 0, kNoLimit_s);
  ASSERT_THAT(plan.waves, SizeIs(3));
  const PlannedJob& job = plan.waves[0][0];
  EXPECT_EQ(job.algorithms,
            (std::map<std::string, std::string>{{"alltoall", "default"}, {"bcast", "binomial"}}));
  EXPECT_THAT(job.cells, SizeIs(3));
  EXPECT_DOUBLE_EQ(job.cells_s, 1.5);
  EXPECT_EQ(plan.waves[2][0].ranks, 2);
  EXPECT_EQ(plan.cell_count, 6);
  EXPECT_EQ(plan.job_count, 3);
  EXPECT_NEAR(plan.gain, 0.6, 1e-12);
  EXPECT_DOUBLE_EQ(plan.time_s, 3 * 2 + 6 * 0.5);
}

TEST_F(RoundPlanTest, AJobIsFilledUntilItsCellsTakeAsLongAsItsStart) {
  for (int i = 0; i < 6; ++i) Suggest("bcast", "binomial", 4, 8 << i, 0.1);
  const RoundPlan plan = PlanRound(all(), costs_, 0, kNoLimit_s);
  ASSERT_THAT(plan.waves, SizeIs(2));
  EXPECT_THAT(plan.waves[0][0].cells, SizeIs(4));
  EXPECT_THAT(plan.waves[1][0].cells, SizeIs(2));
}

TEST_F(RoundPlanTest, AJobTakesFirstWhatGainsMostPerSecondOfItsCells) {
  Suggest("alltoall", "bruck", 4, 8, 0.1);
  Suggest("allgather", "ring", 4, 1 << 16, 0.08, /*predicted_time_s=*/0.2);  // 2 s
  Suggest("bcast", "binomial", 4, 1 << 16, 0.05);
  Suggest("bcast", "binomial", 4, 8, 0.06);
  Suggest("bcast", "pipeline", 4, 8, 0.055);
  const RoundPlan plan = PlanRound(all(), costs_, 0, kNoLimit_s);
  ASSERT_THAT(plan.waves, SizeIs(2));
  std::vector<std::string> cells;
  for (const BenchCell& cell : plan.waves[0][0].cells) {
    cells.push_back(absl::StrCat(cell.collective, " ", cell.block_bytes));
  }
  EXPECT_THAT(cells, ElementsAre("alltoall 8", "bcast 8", "bcast 65536", "allgather 65536"));
  EXPECT_EQ(plan.waves[0][0].algorithms.at("bcast"), "binomial");
  EXPECT_EQ(plan.waves[1][0].algorithms.at("bcast"), "pipeline");
}

TEST_F(RoundPlanTest, KeepsToTheLimitButHasOneJob) {
  Suggest("bcast", "binomial", 4, 8, 0.1, /*predicted_time_s=*/1);  // 10 s
  Suggest("bcast", "pipeline", 4, 8, 0.2);
  EXPECT_THAT(PlanRound({}, costs_, 0, 60).waves, IsEmpty());
  const RoundPlan one = PlanRound(all(), costs_, 0, 3);
  EXPECT_EQ(one.job_count, 1);
  EXPECT_DOUBLE_EQ(one.time_s, 12);
  EXPECT_EQ(PlanRound(all(), costs_, 0, 14.5).job_count, 2);
  JobCosts slow = costs_;
  slow.slowness = 2;
  EXPECT_EQ(PlanRound(all(), slow, 0, 14.5).job_count, 1);
}

TEST_F(RoundPlanTest, JobsOnDisjointNodesRunAtOnce) {
  Suggest("bcast", "binomial", 4, 8, 0.1);
  Suggest("bcast", "binomial", 3, 8, 0.1);
  Suggest("bcast", "pipeline", 3, 8, 0.1);
  Suggest("bcast", "pipeline", 2, 8, 0.1);
  const RoundPlan plan = PlanRound(all(), costs_, 6, kNoLimit_s);
  ASSERT_THAT(plan.waves, SizeIs(2));
  const auto ranks = [](const std::vector<PlannedJob>& wave) {
    std::vector<int64_t> counts;
    for (const PlannedJob& job : wave) counts.push_back(job.ranks);
    return counts;
  };
  EXPECT_THAT(ranks(plan.waves[0]), ElementsAre(4, 2));
  EXPECT_THAT(ranks(plan.waves[1]), ElementsAre(3, 3));
  EXPECT_DOUBLE_EQ(plan.time_s, 5);
  EXPECT_DOUBLE_EQ(PlanRound(all(), costs_, 0, kNoLimit_s).time_s, 10);
}

TEST_F(RoundPlanTest, AMinuteIsWorthWhatFitsIntoIt) {
  EXPECT_EQ(WorthOfMinute({}, costs_, 0), 0);
  for (const char* name : {"a", "b", "c"}) Suggest("bcast", name, 4, 8, 0.01, 2.8);  // 30 s each
  EXPECT_NEAR(WorthOfMinute(all(), costs_, 0), 0.02, 1e-12);
  EXPECT_NEAR(WorthOfMinute(all(), costs_, 12), 0.03, 1e-12) << "at once";
  answer_.Clear();
  Suggest("bcast", "slow", 4, 8, 0.01, 11.8);  // two minutes
  EXPECT_NEAR(WorthOfMinute(all(), costs_, 0), 0.005, 1e-12);
}

TEST(UsualRanksTest, AreNotOnlyPowersOfTwo) {
  EXPECT_THAT(UsualRanks(2), ElementsAre(2));
  EXPECT_THAT(UsualRanks(3), ElementsAre(3, 2));
  EXPECT_THAT(UsualRanks(8), ElementsAre(8, 6, 4, 3, 2));
  EXPECT_THAT(UsualRanks(36), ElementsAre(36, 27, 18, 13, 9, 6, 4));
  EXPECT_THAT(UsualRanks(1024), ElementsAre(1024, 768, 512, 384, 256, 192, 128));
  EXPECT_FALSE(topology::IsPowerOfTwo(UsualRanks(1024)[1]));
}

}  // namespace
}  // namespace cox::cli
