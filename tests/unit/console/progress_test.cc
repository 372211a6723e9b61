#include "console/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace cox::console {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

using std::chrono::seconds;

const Progress::Clock::time_point kStart = Progress::Clock::now();

TEST(ProgressTest, ShortWorkIsSilent) {
  std::ostringstream err;
  Progress progress(&err, 80, kStart);
  progress.Update(0.5, "half", kStart + seconds(1));
  EXPECT_THAT(err.str(), IsEmpty());
}

TEST(ProgressTest, ATerminalsLineIsRewrittenAndNeverWraps) {
  std::ostringstream err;
  {
    Progress progress(&err, 60, kStart);
    progress.Announce();
    progress.Update(0.5, std::string(200, 'x'), kStart);
    EXPECT_THAT(err.str(), StartsWith("\r[############............]  50 % xxx"));
    EXPECT_EQ(err.str().size(), 59 + std::string("\r\033[K").size());
    progress.Update(0.6, "too soon after the last", kStart + std::chrono::milliseconds(20));
    EXPECT_EQ(err.str().size(), 59 + std::string("\r\033[K").size());
  }
  EXPECT_THAT(err.str(), ::testing::EndsWith("\r\033[K")) << "it is gone at the end";
}

TEST(ProgressTest, ALogGetsALineNowAndThen) {
  std::ostringstream err;
  Progress progress(&err, 0, kStart);
  progress.Announce();
  for (int second = 0; second < 25; ++second) {
    progress.Update(second / 25.0, "working", kStart + seconds(second));
  }
  EXPECT_EQ(err.str(), "  0 % working\n 40 % working\n 80 % working\n");
}

TEST(ProgressTest, SaysTheTimeLeft) {
  EXPECT_EQ(TimeLeft(0.2), "about 1 s left");
  EXPECT_EQ(TimeLeft(200), "about 4 min left");
  EXPECT_EQ(TimeLeft(-1), "");
}

}  // namespace
}  // namespace cox::console
