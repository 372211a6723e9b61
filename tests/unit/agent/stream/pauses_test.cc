#include "agent/stream/pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace cox::agent {
namespace {

using Seconds = Pauses::Seconds;

// A thousand agents whose daemon ends.
TEST(PausesTest, AgentsSpreadOverTheTimeInWhichTheyMove) {
  std::vector<double> pauses_s;
  for (uint64_t agent = 0; agent < 1'000; ++agent) {
    pauses_s.push_back(Pauses(agent * 7'919 + 1).AfterBreak().count());
  }
  EXPECT_GE(*std::min_element(pauses_s.begin(), pauses_s.end()), 0);
  EXPECT_LT(*std::max_element(pauses_s.begin(), pauses_s.end()), 2);
  constexpr int kParts = 10;
  for (int part = 0; part < kParts; ++part) {
    const double from_s = Pauses::kSpread.count() * part / kParts;
    const double to_s = Pauses::kSpread.count() * (part + 1) / kParts;
    const auto count = std::count_if(pauses_s.begin(), pauses_s.end(), [&](double pause_s) {
      return pause_s >= from_s && pause_s < to_s;
    });
    EXPECT_GT(count, 50) << part;
    EXPECT_LT(count, 150) << part;
  }
}

TEST(PausesTest, GrowWhileNobodyAnswersAndBeginAnewAfterwards) {
  Pauses pauses(1);
  Seconds most = Pauses::kFirst;
  for (int i = 0; i < 10; ++i) {
    const Seconds pause = pauses.AfterFailure();
    EXPECT_GE(pause, most / 2);
    EXPECT_LE(pause, most);
    most = std::min(most * 2, Pauses::kMost);
  }
  EXPECT_EQ(most, Pauses::kMost);
  EXPECT_LE(pauses.AfterBreak(), Pauses::kSpread);
  EXPECT_LE(pauses.AfterFailure(), Pauses::kFirst);
}

}  // namespace
}  // namespace cox::agent
