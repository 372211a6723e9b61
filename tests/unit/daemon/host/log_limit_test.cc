#include "daemon/host/log_limit.h"

#include <gtest/gtest.h>

namespace cox::daemon {
namespace {

TEST(LogLimit, SuppressesLinesBeyondTheLimitAndCountsThem) {
  LogLimit limit(2, 1'000);
  EXPECT_EQ(limit.Admit(5'000), 0);
  EXPECT_EQ(limit.Admit(5'001), 0);
  EXPECT_EQ(limit.Admit(5'002), std::nullopt);
  EXPECT_EQ(limit.Admit(5'999), std::nullopt);
  EXPECT_EQ(limit.Admit(6'000), 2);
  EXPECT_EQ(limit.Admit(6'001), 0);
  EXPECT_EQ(limit.Admit(6'002), std::nullopt);
}

TEST(LogLimit, AClockThatGoesBackStartsAnew) {
  LogLimit limit(1, 1'000);
  EXPECT_EQ(limit.Admit(5'000), 0);
  EXPECT_EQ(limit.Admit(4'000), 0);
}

}  // namespace
}  // namespace cox::daemon
