#include "console/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "console/numbers.h"

namespace cox::console {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string SweepRule(absl::string_view text) {
  const auto values = ParseSweep(text, 0, kMaxBytes);
  return values.ok() ? "accepted" : std::string(values.status().message());
}

std::vector<int64_t> Sweep(absl::string_view text) {
  const auto values = ParseSweep(text, 0, kMaxBytes);
  EXPECT_TRUE(values.ok()) << values.status();
  return values.ok() ? *values : std::vector<int64_t>();
}

TEST(SizesTest, UnitsArePowersOf1024) {
  EXPECT_EQ(*ParseSize("1024"), 1024);
  EXPECT_EQ(*ParseSize("1KiB"), 1024);
  EXPECT_EQ(*ParseSize("64k"), 65536);
  EXPECT_EQ(*ParseSize("1.5M"), 3 << 19);
  EXPECT_EQ(*ParseSize("0"), 0);
  EXPECT_EQ(*ParseSize("2gb"), int64_t{2} << 30);
  EXPECT_EQ(*ParseSize("3MB"), 3 << 20);
}

TEST(SizesTest, SweepsListTheirValues) {
  EXPECT_THAT(Sweep("1k..8k:*2"), ElementsAre(1024, 2048, 4096, 8192));
  EXPECT_THAT(Sweep("1..10"), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(Sweep("1k..3k:+1k"), ElementsAre(1024, 2048, 3072));
  EXPECT_THAT(Sweep("8,1,64"), ElementsAre(8, 1, 64));
  EXPECT_THAT(Sweep("4..4"), ElementsAre(4));
  EXPECT_THAT(Sweep("1..4:*1.5"), ElementsAre(1, 2, 3));
  EXPECT_THAT(Sweep("0..2:*2"), ElementsAre(0, 1, 2)) << "grows from 0, too";
}

TEST(SizesTest, SaysWhatIsWrongWithASweep) {
  EXPECT_THAT(SweepRule(""), HasSubstr("is not a size"));
  EXPECT_THAT(SweepRule(".."), HasSubstr("is not a sweep"));
  EXPECT_THAT(SweepRule(".."), HasSubstr("is not a sweep"));
  EXPECT_THAT(SweepRule("0.3"), HasSubstr("whole number of bytes"));
  EXPECT_THAT(SweepRule("9999999T"), HasSubstr("2^62"));
  EXPECT_THAT(SweepRule("99999999999999999999"), HasSubstr("2^62"));
  EXPECT_THAT(SweepRule("8..1"), HasSubstr("goes down"));
  EXPECT_THAT(SweepRule("1..8:2"), HasSubstr("starts with * or +"));
  EXPECT_THAT(SweepRule("1..8:*1"), HasSubstr("at least 1.001"));
  EXPECT_THAT(SweepRule("1..8:+0"), HasSubstr("at least 1"));
  EXPECT_THAT(SweepRule("1..1G:+1"), HasSubstr("more than 100000 values"));
  EXPECT_THAT(SweepRule("1,,2"), HasSubstr("is not a size"));
  EXPECT_THAT(SweepRule(".."), HasSubstr("is not a sweep"));
  EXPECT_THAT(SweepRule("nan"), HasSubstr("is not a size"));
  EXPECT_THAT(SweepRule("1.."), HasSubstr("is not a sweep: write FROM..TO"));
  EXPECT_THAT(SweepRule("1..4:"), HasSubstr("starts with * or +"));
  EXPECT_EQ(SweepRule("1..4611686018427387904:*1024"), "accepted") << "ends without overflow";
  EXPECT_FALSE(ParseSweep("0", 1, 10).ok());
  EXPECT_FALSE(ParseSweep("11", 1, 10).ok());
}

}  // namespace
}  // namespace cox::console
