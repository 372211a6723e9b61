#include "agent/timing/size_class.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

namespace cox::agent {
namespace {

TEST(SizeClass, SmallAndRoundNumbersStay) {
  for (int64_t number = 0; number <= 16; ++number) EXPECT_EQ(SizeClassOf(number), number);
  for (int64_t number = 1; number < (int64_t{1} << 61); number *= 2) {
    EXPECT_EQ(SizeClassOf(number), number);
  }
  EXPECT_EQ(SizeClassOf(1'000), 1'024);
  EXPECT_EQ(SizeClassOf(1'100), 1'152);
  EXPECT_EQ(SizeClassOf(31), 32);
}

TEST(SizeClass, IsNearAndOneOfFew) {
  std::set<int64_t> classes;
  for (int64_t number = 1; number <= 1 << 20; ++number) {
    const int64_t found = SizeClassOf(number);
    classes.insert(found);
    EXPECT_LE(std::abs(static_cast<double>(found - number)), static_cast<double>(number) / 16);
    EXPECT_EQ(SizeClassOf(found), found);
  }
  EXPECT_LE(classes.size(), 8U * 20);
}

}  // namespace
}  // namespace cox::agent
