#include "advise/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/profile.h"
#include "machines.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

strategy::Scenario Alltoall(int64_t ranks, int64_t ppn, int64_t block_bytes) {
  strategy::Scenario scenario;
  scenario.collective = domain::Collective::kAlltoall;
  scenario.ranks = ranks;
  scenario.ppn = ppn;
  scenario.block_bytes = block_bytes;
  return scenario;
}

TEST(PredictTest, PricesEveryStrategyThatApplies) {
  const auto predictions = Predict(*MachineWith({}), Alltoall(8, 4, 1024), "", "");
  ASSERT_TRUE(predictions.ok()) << predictions.status();
  std::set<std::string> strategies;
  for (const Prediction& prediction : *predictions) {
    EXPECT_EQ(prediction.model, "hockney");
    EXPECT_GT(prediction.cost.TotalSeconds(), 0);
    strategies.insert(prediction.strategy);
  }
  EXPECT_GE(strategies.size(), 3U);
  EXPECT_EQ(strategies.size(), predictions->size());
}

TEST(PredictTest, OneStrategyUnderAllModels) {
  domain::Profile profile = KnownProfile();
  for (domain::Level level : {domain::Level::kNode, domain::Level::kNetwork}) {
    profile.Set(learn::MakeParameter("hyperbolic", level, "a", 1e-6));
    profile.Set(learn::MakeParameter("hyperbolic", level, "b", 1e-10));
  }
  const auto predictions =
      Predict(*MachineWith({}, profile), Alltoall(8, 4, 1024), "alltoall/pairwise", "all");
  ASSERT_TRUE(predictions.ok());
  ASSERT_EQ(predictions->size(), 2U);
  EXPECT_EQ((*predictions)[0].model, "hockney");
  EXPECT_EQ((*predictions)[1].model, "hyperbolic");
}

// Gaps of 120 and 100 us, a buffer of 2000 packets: of 700 packets each, four senders lose nothing
// (Eq. (6): 1.2 + 2.86), and a last wave of three keeps the receiver busy (Eq. (7)).
TEST(PredictTest, NamesTheWindowThatTheMachinesBufferGives) {
  domain::Profile profile;
  for (const auto& [name, value] :
       {std::pair("O_s", 4e-5), std::pair("g_s", 1.2e-4), std::pair("g_r", 1e-4),
        std::pair("L", 5e-5), std::pair("O_r", 7e-5), std::pair("U_r", 1e-5),
        std::pair("B_L", 2000.0), std::pair("packet", 1500.0)}) {
    profile.Set(learn::MakeParameter("cluster", domain::Level::kNetwork, name, value));
  }
  strategy::Scenario scenario;
  scenario.collective = domain::Collective::kGather;
  scenario.ranks = 16;
  scenario.block_bytes = 700 * 1500;
  const auto text_of = [&](const char* strategy) {
    const auto predictions = Predict(*MachineWith({}, profile), scenario, strategy, "cluster");
    EXPECT_TRUE(predictions.ok()) << predictions.status();
    return predictions->front().strategy;
  };
  EXPECT_EQ(text_of("gather/windowed"), "gather/windowed?window=4");
  EXPECT_EQ(text_of("gather/windowed?window=2"), "gather/windowed?window=2");
  scenario.block_bytes = 1500;
  EXPECT_EQ(text_of("gather/windowed"), "gather/windowed?window=15") << "the buffer holds all";
}

TEST(PredictTest, ASingleRankCostsNothing) {
  const auto predictions = Predict(*MachineWith({}), Alltoall(1, 1, 1024), "alltoall/pairwise", "");
  ASSERT_TRUE(predictions.ok());
  ASSERT_EQ(predictions->size(), 1U);
  EXPECT_EQ(predictions->front().cost.TotalSeconds(), 0);
}

TEST(PredictTest, SaysWhatIsMissingOrWrong) {
  const MachinePointer machine = MachineWith({});
  const auto code = [&](const MachineView& asked, const strategy::Scenario& scenario,
                        const char* strategy, const char* model) {
    return Predict(asked, scenario, strategy, model).status().code();
  };
  const strategy::Scenario good = Alltoall(8, 4, 64);
  const MachinePointer empty = MachineWith({}, {});
  EXPECT_EQ(code(*empty, good, "", ""), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(*empty, good, "", "all"), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(*machine, good, "", "loggp"), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(*machine, good, "", "no-such-model"), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(*machine, good, "alltoall/no-such", ""), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(*machine, good, "bcast/binomial", ""), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(*machine, Alltoall(0, 1, 64), "", ""), absl::StatusCode::kInvalidArgument);
  strategy::Scenario odd = Alltoall(7, 4, 64);
  odd.collective = domain::Collective::kAllgather;
  EXPECT_EQ(code(*machine, odd, "allgather/neighbor-exchange", ""),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Predict(*machine, Alltoall(6, 4, 64), "alltoall/2-lev-sq", "").status().message(),
            "alltoall/2-lev-sq needs a square number of ranks, not 6");
  EXPECT_THAT(std::string(Predict(*machine, good, "", "loggp").status().message()),
              HasSubstr("loggp"));
}

TEST(PredictTest, AProfileThatPricesNoModelIsSaidToLack) {
  domain::Profile half;
  half.Set(learn::MakeParameter("hockney", domain::Level::kNode, "alpha", 1e-6));
  const auto status = Predict(*MachineWith({}, half), Alltoall(8, 4, 64), "", "").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("lacks required parameters"));
}

}  // namespace
}  // namespace cox::advise
