#include "model/models/round_up.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace cox::model {
namespace {

TEST(RoundUp, IsCeil) {
  for (double x = 0x1p-60; x < 0x1p70; x *= 1.37) {
    for (const double near : {x, std::floor(x), std::nextafter(std::floor(x), HUGE_VAL)}) {
      EXPECT_EQ(RoundUp(near), std::ceil(near)) << near;
    }
  }
  EXPECT_EQ(RoundUp(0), 0);
  EXPECT_EQ(RoundUp(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(RoundUp(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace cox::model
