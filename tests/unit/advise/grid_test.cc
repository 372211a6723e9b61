#include "advise/grid.h"

#include <gtest/gtest.h>

#include <limits>

#include "advise/predict.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "every_model.h"

namespace cox::advise {
namespace {

TEST(GridTest, IsWhatPredictSays) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<int64_t> ranks = {1, 7, 64};
  const std::vector<int64_t> sizes = {0, 1, 4096};
  GridQuestion question;
  question.scenario.collective = domain::Collective::kAllgather;
  question.scenario.ppn = 4;
  question.model = "loggp";
  question.ranks = ranks;
  question.block_bytes = sizes;
  const auto grid = EvaluateGrid(*machine, question);
  ASSERT_TRUE(grid.ok()) << grid.status();
  ASSERT_EQ(grid->amounts.size(), grid->strategies.size() * 9);
  size_t cannot_run = 0;
  for (size_t i = 0; i < grid->amounts.size(); ++i) {
    strategy::Scenario scenario = question.scenario;
    scenario.ranks = ranks[i / 3 % 3];
    scenario.block_bytes = sizes[i % 3];
    const auto predicted = Predict(*machine, scenario, grid->strategies[i / 9], "loggp");
    if (grid->amounts[i] < 0) {
      ++cannot_run;
      EXPECT_EQ(predicted.status().code(), absl::StatusCode::kFailedPrecondition);
    } else {
      ASSERT_TRUE(predicted.ok()) << predicted.status();
      EXPECT_EQ(grid->amounts[i], Amount(predicted->front().cost));
    }
  }
  EXPECT_GT(cannot_run, 0U) << "neighbor-exchange of 7 ranks";
}

TEST(GridTest, OnlyTheStrategiesThatWereNamed) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<int64_t> ones = {1};
  GridQuestion question;
  question.scenario.collective = domain::Collective::kBcast;
  question.strategies = {"bcast/chain?segment=64&fanout=2", "bcast/binomial"};
  question.model = "hockney";
  question.ranks = ones;
  question.block_bytes = ones;
  const auto grid = EvaluateGrid(*machine, question);
  ASSERT_TRUE(grid.ok()) << grid.status();
  EXPECT_EQ(grid->strategies, question.strategies);
}

TEST(GridTest, WhatIsWrongIsNamed) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<int64_t> good = {8, 16};
  const auto status = [&](auto spoil) {
    GridQuestion question;
    question.ranks = good;
    question.block_bytes = good;
    question.model = "hockney";
    spoil(&question);
    return EvaluateGrid(*machine, question).status();
  };
  const std::vector<int64_t> zero = {8, 0};
  const std::vector<int64_t> negative = {8, 16, -1};
  const std::vector<int64_t> huge = {std::numeric_limits<int64_t>::max()};
  const std::vector<int64_t> many(1'000'001, 8);
  const auto field = [&](auto spoil) { return domain::FieldOf(status(spoil)); };
  EXPECT_EQ(field([](auto*) {}), "");
  EXPECT_EQ(field([](auto* q) { q->ranks = {}; }), "ranks");
  EXPECT_EQ(field([](auto* q) { q->block_bytes = {}; }), "block_bytes");
  EXPECT_EQ(field([&](auto* q) { q->ranks = zero; }), "ranks[1]");
  EXPECT_EQ(field([&](auto* q) { q->ranks = huge; }), "ranks[0]");
  EXPECT_EQ(field([&](auto* q) { q->block_bytes = negative; }), "block_bytes[2]");
  EXPECT_EQ(field([&](auto* q) { q->block_bytes = huge; }), "block_bytes[0]");
  EXPECT_EQ(field([&](auto* q) { q->block_bytes = many; }), "block_bytes");
  EXPECT_EQ(field([](auto* q) { q->model = "all"; }), "model");
  EXPECT_EQ(field([](auto* q) { q->scenario.ppn = 0; }), "ppn");
  EXPECT_EQ(field([](auto* q) {
              q->strategies = {"alltoall/linear", "bcast/chain"};
            }),
            "strategies[1]");
  EXPECT_EQ(field([](auto* q) { q->strategies = {"alltoall/linear?depth=2"}; }), "strategies[0]");
  EXPECT_EQ(status([](auto* q) { q->strategies = {"alltoall/none"}; }).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace cox::advise
