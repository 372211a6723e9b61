#include "console/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "console/units.h"

namespace cox::console {
namespace {

using ::testing::HasSubstr;

std::string IntegerRule(absl::string_view text) {
  const auto value = ParseInteger(text, 0, kMaxBytes);
  return value.ok() ? "accepted" : std::string(value.status().message());
}

TEST(NumbersTest, IntegersAreReadWhole) {
  EXPECT_EQ(*ParseInteger("0", 0, 9), 0);
  EXPECT_EQ(*ParseInteger("-3", -5, 9), -3);
  EXPECT_EQ(*ParseInteger("4611686018427387904", 0, kMaxBytes), kMaxBytes);
}

TEST(NumbersTest, OtherTextIsNoInteger) {
  for (const char* text : {"1x", " 1", "1 ", "+1", "0x10", "1e3", "1.0", "one", "--1", "-"}) {
    EXPECT_THAT(IntegerRule(text), HasSubstr("not an integer")) << text;
  }
  EXPECT_THAT(IntegerRule(""), HasSubstr("is empty"));
  EXPECT_THAT(IntegerRule("-1"), HasSubstr("must be within 0.."));
  EXPECT_THAT(IntegerRule("4611686018427387905"), HasSubstr("must be within"));
  EXPECT_THAT(IntegerRule("99999999999999999999"), HasSubstr("must be within"));
  EXPECT_LT(IntegerRule(std::string(5000, '9')).size(), 200) << "the message shows a part only";
}

TEST(NumbersTest, DoublesAreFiniteAndDecimal) {
  EXPECT_EQ(*ParsePositive("1.5e-6"), 1.5e-6);
  EXPECT_EQ(*ParseNonNegative("0"), 0);
  for (const char* text : {"nan", "inf", "-inf", "NaN", "0x1p3", "1,5", "1.5s", "", " 1", "1e999",
                           "1e-999", "infinity", "nan(1)"}) {
    EXPECT_FALSE(ParsePositive(text).ok()) << text;
    EXPECT_FALSE(ParseNonNegative(text).ok()) << text;
  }
  EXPECT_FALSE(ParsePositive("0").ok());
  EXPECT_FALSE(ParsePositive("-1e-9").ok());
  EXPECT_FALSE(ParseNonNegative("-1e-9").ok());
}

TEST(NumbersTest, WrittenDoublesReadBack) {
  for (const double value : {1e-9, 0.1, 1.0 / 3, 5e-324, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(*ParsePositive(FormatDouble(value)), value);
  }
}

TEST(ShareTest, IsAPercentageOrAFraction) {
  EXPECT_DOUBLE_EQ(*ParseShare("5%", 0.5), 0.05);
  EXPECT_DOUBLE_EQ(*ParseShare("0.05", 0.5), 0.05);
  EXPECT_EQ(*ParseShare("0", 0.5), 0);
  EXPECT_EQ(*ParseShare("0.0001%", 0.5), 1e-6);
  for (const char* text :
       {"", "%", "51%", "0.6", "-1%", "5 %", "nan", "5%%", "0.00009%", "1e-20%", "9e-7"}) {
    EXPECT_FALSE(ParseShare(text, 0.5).ok()) << text;
  }
  EXPECT_EQ(ParseShare("5", 0.5).status().message(),
            "is '5', must be at most 50%: write 5% (or 0.05)");
  EXPECT_EQ(ParseShare("60%", 0.5).status().message(), "is '60%', must be at most 50%");
  EXPECT_EQ(ParseShare("5%%", 0.5).status().message(), "is '5%%', not a share: write 5% (or 0.05)");
}

TEST(UnitsTest, ChoosesTheUnitBySize) {
  EXPECT_EQ(FormatTime(1.5e-6), "1.500 µs");
  EXPECT_EQ(FormatTime(0.0125), "12.50 ms");
  EXPECT_EQ(FormatTime(0), "0 s");
  EXPECT_EQ(FormatTime(3600), "3600 s");
  EXPECT_EQ(FormatBytes(65536), "64 KiB");
  EXPECT_EQ(FormatBytes(1000), "1000 B");
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatQuantity(1.2e-10, "s/byte"), "120.0 ps/byte");
  EXPECT_EQ(FormatQuantity(2.5e9, "byte/s"), "2.500 GB/s");
  EXPECT_EQ(FormatQuantity(3, ""), "3 -");
}

}  // namespace
}  // namespace cox::console
