#include "advise/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "domain/withdrawal.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

Weighed Known(absl::string_view name, double log_time, double sigma) {
  Weighed weighed;
  weighed.name = name;
  weighed.estimate.known = true;
  weighed.estimate.log_time = log_time;
  weighed.estimate.sigma = weighed.estimate.own_sigma = sigma;
  return weighed;
}

DefaultFacts Timed(const std::vector<Guess>& guesses) {
  DefaultFacts facts;
  facts.is_candidate = facts.was_timed = true;
  facts.guesses = guesses;
  return facts;
}

TEST(ChoiceTest, ExpectedGainIsTheMeanOfWhatIsAboveZero) {
  std::mt19937 random(5);
  for (const auto& [mean, sigma] : {std::pair(0.3, 0.5), std::pair(-0.4, 0.3)}) {
    std::normal_distribution<double> normal(mean, sigma);
    double sum = 0;
    constexpr int kDraws = 200'000;
    for (int i = 0; i < kDraws; ++i) sum += std::max(0.0, normal(random));
    EXPECT_NEAR(ExpectedGain(mean, sigma), sum / kDraws, 0.005);
    EXPECT_NEAR(ExpectedGain(mean, sigma) - ExpectedGain(-mean, sigma), mean, 1e-12);
  }
  EXPECT_EQ(ExpectedGain(0.2, 0), 0.2);
  EXPECT_EQ(ExpectedGain(-0.2, 0), 0);
}

TEST(ChoiceTest, OfAlternativesTheOneOfTheLeastExpectedTimeIsTaken) {
  // The vague one may be the faster, but takes longer on average.
  const std::vector<Weighed> weighed = {Known("default", 2, 0.1), Known("vague", -0.05, 0.6),
                                        Known("sure", 0, 0.1)};
  const std::vector<Guess> slow = {{1, 2, 0.1, 0.1, ""}};
  EXPECT_EQ(Choose(weighed, Timed(slow), 8).weighed->name, "sure");
  EXPECT_TRUE(IsBetter(weighed[1], weighed[2]));
}

TEST(ChoiceTest, TheReasonNamesWhatTheChoiceWentBy) {
  // Not the first in the order of predicted times: it must not be called the fastest.
  static const library::Algorithm kDefaultRow = [] {
    library::Algorithm row{};
    row.native_name = "sure";
    return row;
  }();
  std::vector<Weighed> weighed = {Known("vague", -0.05, 0.6), Known("sure", 0, 0.1)};
  const Choice among = Choose(weighed, DefaultFacts{}, 8);
  EXPECT_EQ(among.weighed->name, "sure");
  EXPECT_THAT(among.reason, HasSubstr("least expected time"));
  weighed.push_back(Known("default", 2, 0.1));
  weighed[1].effective = &kDefaultRow;
  const std::vector<Guess> slow = {{1, 2, 0.1, 0.1, ""}};
  DefaultFacts untimed = Timed(slow);
  untimed.was_timed = false;
  untimed.row = &kDefaultRow;
  const Choice on_known = Choose(weighed, untimed, 8);
  EXPECT_EQ(on_known.weighed->name, "sure");
  EXPECT_THAT(on_known.reason, HasSubstr("least expected time"));
}

TEST(ChoiceTest, TheSameCodeIsNeitherGainNorLoss) {
  const std::vector<Weighed> weighed = {Known("default", 0, 0.3), Known("ring", 0, 0.3)};
  const std::vector<Guess> certain = {{1, 0, 0.3, 0.3, "ring"}};
  EXPECT_EQ(Choose(weighed, Timed(certain), 8).weighed->name, "default");
}

TEST(ChoiceTest, WhatTheDefaultMayBeIsAReasonToSwitchAwayFromIt) {
  // The default is as fast as the fastest or, one time in three, four times slower: never faster.
  const std::vector<Weighed> weighed = {Known("default", 0.5, 0.7), Known("ring", 0, 0.1)};
  const std::vector<Guess> guesses = {{0.67, 0, 0.1, 0.1, "ring"},
                                      {0.33, std::log(4), 0.1, 0.1, "linear"}};
  const Choice taken = Choose(weighed, Timed(guesses), 8);
  EXPECT_EQ(taken.weighed->name, "ring");
  // 1 - exp(-0.33 ln 4), and not the 1 - exp(-0.5) by which the predicted times differ.
  EXPECT_EQ(taken.reason, "expected to save 37 % of the default's time");
  // The same mean distance, but equally likely to be faster.
  const std::vector<Guess> wide = {{1, 0.33 * std::log(4), 2, 2, ""}};
  const Choice kept = Choose(weighed, Timed(wide), 8);
  EXPECT_EQ(kept.weighed->name, "default");
  EXPECT_THAT(kept.reason, HasSubstr("no clear gain"));
}

TEST(ChoiceTest, WhatModelsDisagreeAboutIsNotSwitched) {
  std::vector<Weighed> weighed = {Known("default", 3, 0.2), Known("ring", 0, 0.2)};
  std::vector<Guess> guesses = {{1, 3, 0.2, 0.2, ""}};
  EXPECT_EQ(Choose(weighed, Timed(guesses), 8).weighed->name, "ring");
  // The gain is 3, and a model's price of the ring is 4 higher.
  learn::Widen(4 / 1.645, &weighed[1].estimate);
  const Choice kept = Choose(weighed, Timed(guesses), 8);
  EXPECT_EQ(kept.weighed->name, "default");
  EXPECT_THAT(kept.reason, HasSubstr("models disagree"));
  // All models agree that the ring is faster: by 5 to 9.
  weighed[0].estimate.log_time = guesses[0].log_time = 5;
  EXPECT_EQ(Choose(weighed, Timed(guesses), 8).weighed->name, "ring");
  // The default's price may be as unsure.
  weighed[1] = Known("ring", 0, 0.2);
  guesses[0].unseen_sigma = 6 / 1.645;
  EXPECT_EQ(Choose(weighed, Timed(guesses), 8).weighed->name, "default");
}

TEST(ChoiceTest, ASwitchMustBeWorthThreePercent) {
  for (const double gain : {0.02, 0.04}) {
    const std::vector<Weighed> weighed = {Known("default", gain, 0), Known("ring", 0, 0)};
    const std::vector<Guess> guesses = {{1, gain, 0, 0, ""}};
    EXPECT_EQ(Choose(weighed, Timed(guesses), 8).weighed->name, gain < 0.03 ? "default" : "ring");
  }
}

TEST(ChoiceTest, MoreIsAskedOfASwitchFromADecisionThatIsKnown) {
  static const library::Algorithm kDefaultRow{};
  const std::vector<Weighed> weighed = {Known("default", 0.2, 0.3), Known("ring", 0, 0.25)};
  const std::vector<Guess> guesses = {{1, 0.23, 0.3, 0.3, ""}};
  DefaultFacts facts = Timed(guesses);
  EXPECT_EQ(Choose(weighed, facts, 8).weighed->name, "ring");
  facts.row = &kDefaultRow;
  EXPECT_EQ(Choose(weighed, facts, 8).weighed->name, "default");
}

TEST(ChoiceTest, MoreIsAskedOfEverySwitchFromAConfirmedDefault) {
  EXPECT_TRUE(IsWorthSwitching(0.23, 0.39, /*is_from_confirmed_default=*/false));
  EXPECT_FALSE(IsWorthSwitching(0.23, 0.39, /*is_from_confirmed_default=*/true));
  EXPECT_TRUE(IsWorthSwitching(0.3, 0.39, /*is_from_confirmed_default=*/true));
}

TEST(ChoiceTest, MoreIsAskedOfAGainThatOnlyGrowthPromises) {
  std::vector<Weighed> weighed = {Known("default", 0.2, 0.2), Known("ring", 0, 0.2)};
  const std::vector<Guess> own = {{1, 0.2, 0.2, 0.2, ""}};
  EXPECT_EQ(Choose(weighed, Timed(own), 64).weighed->name, "ring") << "0.7 standard deviations";
  weighed[1].behind_at_ranks = 8;
  const Choice kept = Choose(weighed, Timed(own), 64);
  EXPECT_EQ(kept.weighed->name, "default");
  EXPECT_THAT(kept.reason, HasSubstr("because with 8 ranks it was slower than the default"));
  weighed[1].estimate.log_time = -0.2;
  EXPECT_EQ(Choose(weighed, Timed(own), 64).weighed->name, "ring") << "1.4 standard deviations";
}

TEST(ChoiceTest, WhereAllAlternativesAreWithdrawnThatIsTheReason) {
  const domain::Withdrawal withdrawal;
  std::vector<Weighed> weighed = {Known("binomial", -1, 0.1), Known("default", 0, 0.1)};
  weighed[0].withdrawal = &withdrawal;
  const std::vector<Guess> guesses = {{1, 0, 0.1, 0.1, ""}};
  DefaultFacts facts = Timed(guesses);
  constexpr absl::string_view kReason =
      "keeps the default: canaries showed every known alternative to be slower";
  const Choice kept = Choose(weighed, facts, 8);
  EXPECT_EQ(kept.weighed->name, "default");
  EXPECT_EQ(kept.reason, kReason);
  // Also where the question does not name the default.
  weighed.pop_back();
  facts.is_candidate = false;
  const Choice unnamed = Choose(weighed, facts, 8);
  EXPECT_EQ(unnamed.weighed, nullptr);
  EXPECT_EQ(unnamed.reason, kReason);
  // Another one is left.
  weighed.push_back(Known("ring", 1, 0.1));
  EXPECT_EQ(Choose(weighed, facts, 8).weighed->name, "ring");
}

TEST(ChoiceTest, AVagueTimeOfWhatTheDefaultRunsHidesNoAlternative) {
  static const library::Algorithm kDefaultRow{};
  std::vector<Weighed> weighed = {Known("default", 0, 0.05), Known("rabenseifner", -0.5, 0.8),
                                  Known("ring", -0.3, 0.05)};
  weighed[1].effective = &kDefaultRow;
  weighed[1].estimate.support = 40;
  const std::vector<Guess> guesses = {{1, 0, 0.05, 0.05, ""}};
  DefaultFacts facts = Timed(guesses);
  facts.row = &kDefaultRow;
  EXPECT_EQ(Choose(weighed, facts, 8).weighed->name, "ring");
  // Known as well as the default, it tells the default's time.
  weighed[1].estimate.own_sigma = 0.05;
  EXPECT_EQ(Choose(weighed, facts, 8).weighed->name, "default");
}

// The library's table says that the default runs `ring`, which was timed; bruck is slower.
class TheTablesRow : public ::testing::Test {
 protected:
  // ln(time) of the default's own estimate; ring has 0.
  void SetDefault(double log_time, double sigma, double nearness) {
    default_ = Known("default", log_time, sigma);
    guesses_ = {{1, log_time, sigma, sigma, ""}};
    nearness_ = nearness;
  }
  struct Named {
    std::string name;
    std::string reason;
  };
  Named Chosen() const {
    const std::vector<Weighed> weighed = {default_, ring_, Known("bruck", bruck_log_time_, 0.1)};
    DefaultFacts facts = Timed(guesses_);
    facts.row = &row_;
    facts.nearness = nearness_;
    const Choice choice = Choose(weighed, facts, 8);
    return {std::string(choice.weighed->name), choice.reason};
  }

  library::Algorithm row_ = [] {
    library::Algorithm row{};
    row.native_name = "ring";
    return row;
  }();
  Weighed ring_ = [this] {
    Weighed ring = Known("ring", 0, 0.15);
    ring.effective = &row_;
    ring.estimate.support = 1;
    return ring;
  }();
  double bruck_log_time_ = 3;

 private:
  Weighed default_;
  std::vector<Guess> guesses_;
  double nearness_ = 0;
};

TEST_F(TheTablesRow, IsNamedFarFromTheDefaultsTimingsIfItShouldBeFaster) {
  SetDefault(0.2, 0.3, 0.01);
  EXPECT_EQ(Chosen().name, "ring");
  EXPECT_THAT(Chosen().reason, HasSubstr("was not timed near"));
  // Another algorithm that is clearly faster still wins.
  bruck_log_time_ = -2;
  EXPECT_EQ(Chosen().name, "bruck");
}

TEST_F(TheTablesRow, IsTheDefaultNearItsTimingsHoweverUnsureTheyAre) {
  SetDefault(0.2, 0.3, 1);
  EXPECT_EQ(Chosen().name, "default");
  EXPECT_THAT(Chosen().reason, HasSubstr("already runs"));
}

TEST_F(TheTablesRow, IsNotNamedWhereTheDefaultShouldBeFasterOrAsFast) {
  for (const double log_time : {-1.0, 0.0, 0.02}) {
    SetDefault(log_time, 0.3, 0.01);
    EXPECT_EQ(Chosen().name, "default") << log_time;
  }
}

TEST_F(TheTablesRow, IsNotNamedWhereJobsDidNotFindTheGain) {
  SetDefault(0.2, 0.3, 0.01);
  ring_.shortfall.log_gain = 0.25;
  EXPECT_EQ(Chosen().name, "default");
}

}  // namespace
}  // namespace cox::advise
