#include "cli/options/what_if.h"

#include <gtest/gtest.h>

namespace cox::cli {
namespace {

TEST(WhatIfTest, ReadsFactorsAndValuesWithUnits) {
  const auto factor = ParseWhatIf("c3.s*0.1");
  ASSERT_TRUE(factor.ok()) << factor.status();
  EXPECT_EQ(factor->parameter(), "c3.s");
  EXPECT_EQ(factor->factor(), 0.1);
  const std::pair<const char*, double> values[] = {
      {"1us", 1e-6},   {"2.5µs", 2.5e-6}, {"3ms", 3e-3},      {"4ns", 4e-9}, {"0.5s", 0.5},
      {"7ps", 7e-12},  {"1ns/B", 1e-9},   {"1us/byte", 1e-6}, {"8", 8},      {"1e-6", 1e-6},
      {"4KiB", 4096.}, {"512B", 512},     {"0", 0},
  };
  for (const auto& [text, expected] : values) {
    const auto change = ParseWhatIf(std::string("hockney.network.alpha=") + text);
    ASSERT_TRUE(change.ok()) << text << change.status();
    EXPECT_EQ(change->parameter(), "hockney.network.alpha");
    EXPECT_DOUBLE_EQ(change->value(), expected) << text;
  }
}

TEST(WhatIfTest, RefusesWhatIsNoChange) {
  for (const char* text : {"", "alpha", "=1", "*2", "alpha=", "alpha*", "alpha=-1", "alpha=nan",
                           "alpha=1 us", "alpha=1kg", "alpha*1us", "alpha=inf", "alpha*1e999"}) {
    EXPECT_FALSE(ParseWhatIf(text).ok()) << text;
  }
}

}  // namespace
}  // namespace cox::cli
