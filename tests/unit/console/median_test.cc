#include "console/median.h"

#include <gtest/gtest.h>

namespace cox::console {
namespace {

TEST(MedianTest, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(MedianOf({}), 0);
  EXPECT_EQ(MedianOf({3}), 3);
  EXPECT_EQ(MedianOf({9, 1, 4}), 4);
  EXPECT_EQ(MedianOf({9, 1, 4, 2}), 3);
}

}  // namespace
}  // namespace cox::console
