#include "advise/tuning/job_beliefs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "../machines.h"
#include "advise/measure/suggest.h"
#include "advise/tuning/job_advice.h"
#include "domain/collective.h"
#include "domain/limits.h"

namespace cox::advise {
namespace {

constexpr int64_t kNodes = 8;
constexpr int64_t kPpn = 4;

TuningQuestion Job() {
  TuningQuestion question;
  question.job = {"openmpi-4.1", kNodes, kPpn, {}};
  return question;
}

JobBeliefs BeliefsOf(const MachineView& machine, const std::map<int64_t, double>& spent_s) {
  const TuningQuestion question = Job();
  JobAdvice advice(machine, question, domain::Collective::kAlltoall);
  return JobBeliefs(&advice, spent_s, kNodes, kPpn, kNodes * kPpn);
}

// The default was timed at some sizes, and nothing else.
MachinePointer WithDefaultOnly() {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  return MachineWith(cells);
}

TEST(JobBeliefsTest, ATrialIsWorthWhatTheSuggestedMeasurementIs) {
  const MachinePointer machine = WithDefaultOnly();
  const std::vector<int64_t> sizes = {64, 4096, 262144};
  std::vector<Measurement> candidates;
  for (const int64_t bytes : sizes) {
    for (const std::string& algorithm :
         QuestionFor(Job(), domain::Collective::kAlltoall).candidates) {
      candidates.push_back({"alltoall", algorithm, kNodes, kPpn, kNodes * kPpn, bytes});
    }
  }
  const Suggestions suggestions =
      SuggestMeasurements(*machine, "openmpi-4.1", candidates, 1).value();
  ASSERT_EQ(suggestions.best.size(), 1U);
  const Measurement& best = candidates[suggestions.best[0].index];
  const Suggestion& suggested = suggestions.best[0];
  // A second at each size: the gain of a suggestion is a mean over the calls.
  std::map<int64_t, double> spent_s;
  for (const int64_t bytes : sizes) spent_s[bytes] = 1;
  const JobBeliefs beliefs = BeliefsOf(*machine, spent_s);
  const double worth_s = beliefs.WorthOf(best.algorithm, {best.block_bytes, best.block_bytes + 1});
  EXPECT_GT(worth_s, 0);
  // The worth is of ln(time), the gain a share of the time.
  const double gain = -std::expm1(-worth_s / static_cast<double>(sizes.size()));
  EXPECT_NEAR(gain / suggested.gain, 1, 1e-6);
}

TEST(JobBeliefsTest, ATrialIsWorthMoreWhereTheJobSpendsItsTime) {
  const MachinePointer machine = WithDefaultOnly();
  const double seldom = BeliefsOf(*machine, {{1024, 1}}).WorthOf("linear", {1024, 2048});
  const double often = BeliefsOf(*machine, {{1024, 5}}).WorthOf("linear", {1024, 2048});
  EXPECT_GT(seldom, 0);
  EXPECT_NEAR(often / seldom, 5, 1e-9);
}

TEST(JobBeliefsTest, ATrialTellsAboutTheOtherSizesToo) {
  const MachinePointer machine = WithDefaultOnly();
  JobBeliefs alone = BeliefsOf(*machine, {{1024, 1}});
  JobBeliefs both = BeliefsOf(*machine, {{1024, 1}, {2048, 1}});
  const SizeRange first = {1024, 2048};
  const SizeRange second = {2048, 4096};
  EXPECT_GT(both.WorthOf("linear", first), 1.1 * alone.WorthOf("linear", first));
  // So after the first trial the second is worth less, but something.
  const double before = both.WorthOf("linear", second);
  both.Take("linear", first);
  EXPECT_LT(both.WorthOf("linear", second), 0.8 * before);
  EXPECT_GT(both.WorthOf("linear", second), 0);
  EXPECT_LT(both.WorthOf("linear", first), 0.7 * alone.WorthOf("linear", first));
}

TEST(JobBeliefsTest, AFewSizesStandForManyAndAreWorthTheSame) {
  const MachinePointer machine = WithDefaultOnly();
  std::map<int64_t, double> spent_s;
  for (int64_t bytes = 1024; bytes < 4096; ++bytes) spent_s[bytes] = 1.0 / 3072;
  spent_s[3000] = 1;
  const JobBeliefs many = BeliefsOf(*machine, spent_s);
  // The work grows with the square of the weighed sizes.
  EXPECT_EQ(many.sizes().size(), 2U * kMaxSizesPerDoubling);
  double sum_s = 0;
  double at_3000_s = 0;
  int64_t last = 0;
  for (const JobBeliefs::Size& size : many.sizes()) {
    EXPECT_GT(size.bytes, last);
    last = size.bytes;
    sum_s += size.spent_s;
    if (size.bytes == 3000) at_3000_s = size.spent_s;
  }
  EXPECT_NEAR(sum_s, 2 - 1.0 / 3072, 1e-9);
  EXPECT_GT(at_3000_s, 1) << "the size of the most seconds, and its neighbours";
  const double few_s =
      BeliefsOf(*machine, {{1500, 1.0 / 3}, {3000, 5.0 / 3}}).WorthOf("linear", {2048, 4096});
  EXPECT_GT(few_s, 0);
  EXPECT_NEAR(many.WorthOf("linear", {2048, 4096}) / few_s, 1, 0.2);
}

TEST(JobBeliefsTest, AFewSizesAreAllWeighed) {
  const MachinePointer machine = WithDefaultOnly();
  std::map<int64_t, double> spent_s = {{0, 1}, {1, 1}};
  for (int64_t i = 0; i < kMaxSizesPerDoubling; ++i) spent_s[1024 + i] = 1;
  const JobBeliefs beliefs = BeliefsOf(*machine, spent_s);
  ASSERT_EQ(beliefs.sizes().size(), spent_s.size());
  for (const JobBeliefs::Size& size : beliefs.sizes()) EXPECT_EQ(size.spent_s, 1) << size.bytes;
}

TEST(JobBeliefsTest, TheLargestSizeIsWeighed) {
  const JobBeliefs beliefs = BeliefsOf(*WithDefaultOnly(), {{1, 1}, {domain::kMaxBlockBytes, 1}});
  ASSERT_EQ(beliefs.sizes().size(), 2U);
  EXPECT_EQ(beliefs.sizes()[1].bytes, domain::kMaxBlockBytes);
}

TEST(JobBeliefsTest, AnUnknownAlgorithmOrSizeIsWorthNothing) {
  const JobBeliefs beliefs = BeliefsOf(*WithDefaultOnly(), {{1024, 1}});
  EXPECT_EQ(beliefs.WorthOf("no_such", {1024, 2048}), 0);
  EXPECT_EQ(beliefs.WorthOf("linear", {4096, 8192}), 0);
  EXPECT_GT(beliefs.WorthOf("linear", {0, 0}), 0) << "no end: all sizes";
}

}  // namespace
}  // namespace cox::advise
