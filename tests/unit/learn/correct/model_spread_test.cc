// Algorithms that nobody timed: the models' disagreement is in their estimate.
#include "learn/correct/model_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "domain/level.h"
#include "domain/profile.h"
#include "learn/correct/corrections.h"
#include "learn/correct/envelope_time.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

constexpr char kUnknownLibrary[] = "openmpi-4.1";

// BSP has no cost of a message: for one message a step it is like Hockney's model, for a thousand
// it is a hundred times cheaper.
domain::Profile TwoSpreadModels() {
  domain::Profile profile = HockneyProfile(3e-6, 4e-10, 3e-6, 4e-10);
  profile.Set(MakeParameter("bsp", domain::Level::kNetwork, "g", 4e-10));
  profile.Set(MakeParameter("bsp", domain::Level::kNetwork, "L", 2.5e-6));
  return profile;
}

// Broadcasts of up to 256 ranks, timed by BSP.
std::vector<Cell> Broadcasts(const domain::Profile& profile) {
  std::vector<Cell> cells;
  for (int64_t nodes = 4; nodes <= 256; nodes *= 2) {
    for (int64_t bytes = 16; bytes <= 1 << 16; bytes *= 4) {
      Cell cell = MakeCell("bcast", "binomial", nodes, 1, bytes, 1);
      cell.mean_log_time = std::log(PriceOf(cell, profile, "bsp"));
      cells.push_back(cell);
    }
  }
  return cells;
}

class ModelSpreadTest : public ::testing::Test {
 protected:
  explicit ModelSpreadTest(domain::Profile profile = TwoSpreadModels())
      : profile_(std::move(profile)) {}

  Estimate EstimateFor(const std::string& collective, const std::string& algorithm,
                       int64_t nodes) const {
    const auto scenario = ScenarioOf(collective, nodes, 1, 16, 4);
    const auto model = model::FindModel(corrections_->model());
    const auto values = model::ValuesFor(**model, profile_);
    const auto ranks = static_cast<double>(nodes);
    const auto schedule = std::make_unique<model::Schedule>();
    AskedPoint asked({ranks, 1, ranks, 16});
    const Place place = PlaceAt(*corrections_, kUnknownLibrary, collective, &*scenario, &asked);
    return EstimateOf(algorithm, place, {*model, &*values}, schedule.get());
  }
  double LogPrice(const std::string& collective, const std::string& algorithm, int64_t nodes,
                  const std::string& model) const {
    return std::log(PriceOf(MakeCell(collective, algorithm, nodes, 1, 16, 1), profile_, model));
  }

  const domain::Profile profile_;
  const std::unique_ptr<const Corrections> corrections_ =
      BuildCorrections(profile_, Broadcasts(profile_));
};

TEST_F(ModelSpreadTest, TheIntervalHoldsWhatTheOtherModelsSay) {
  ASSERT_EQ(corrections_->model(), "bsp");
  const Estimate estimate = EstimateFor("alltoall", "linear", 1024);
  ASSERT_TRUE(estimate.known);
  const double low = LogPrice("alltoall", "linear", 1024, "bsp");
  const double high = LogPrice("alltoall", "linear", 1024, "hockney");
  ASSERT_GT(high - low, std::log(100));
  EXPECT_NEAR(estimate.log_time, low, 1e-9) << "the selected model's price stays the mean";
  EXPECT_GT(estimate.log_time + 1.645 * estimate.sigma, high);
  EXPECT_LT(estimate.log_time - 1.645 * estimate.sigma, low);
  EXPECT_NEAR(1.645 * estimate.unseen_sigma, high - low, 1e-3);
  EXPECT_GE(estimate.own_sigma, estimate.unseen_sigma) << "other algorithms do not share it";
}

TEST_F(ModelSpreadTest, FadesWhereLikeMessagesWereTimed) {
  // A tree has one message per rank and step, as the broadcasts had.
  EXPECT_EQ(EstimateFor("scatter", "binomial", 64).unseen_sigma, 0);
  const double few = EstimateFor("alltoall", "linear", 3).unseen_sigma;
  const double many = EstimateFor("alltoall", "linear", 64).unseen_sigma;
  EXPECT_LT(few, 0.3);
  EXPECT_GT(many, 1);
}

TEST_F(ModelSpreadTest, WhatWasTimedIsNotWidened) {
  const Estimate estimate = EstimateFor("bcast", "binomial", 1024);
  ASSERT_TRUE(estimate.known);
  EXPECT_EQ(estimate.unseen_sigma, 0);
}

// Without timings no model was selected by them, and the order of preference knows which models
// have costs of messages.
TEST_F(ModelSpreadTest, WithoutTimingsThereIsNone) {
  const auto corrections = BuildCorrections(profile_, {});
  model::Schedule schedule;
  strategy::Build(*strategy::ParseStrategy("alltoall/linear"),
                  *ScenarioOf("alltoall", 64, 1, 16, 4), &schedule);
  EXPECT_EQ(corrections->spread().At(schedule, 1e-5), 0);
  EXPECT_GT(corrections_->spread().At(schedule, 1e-5), 1);
}

// Hockney's model that is ten times too slow for the broadcasts.
class RefutedModelTest : public ModelSpreadTest {
 protected:
  RefutedModelTest() : ModelSpreadTest(SlowHockney()) {}
  static domain::Profile SlowHockney() {
    domain::Profile profile = TwoSpreadModels();
    const domain::Profile slow = HockneyProfile(3e-5, 4e-9, 3e-5, 4e-9);
    for (const domain::Parameter& parameter : slow.parameters) profile.Set(parameter);
    return profile;
  }
};

TEST_F(RefutedModelTest, DoesNotCount) {
  ASSERT_EQ(corrections_->model(), "bsp");
  EXPECT_EQ(EstimateFor("alltoall", "linear", 1024).unseen_sigma, 0);
}

}  // namespace
}  // namespace cox::learn
