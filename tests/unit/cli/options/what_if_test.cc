#include "cli/options/what_if.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::cli {
namespace {

TEST(WhatIfTest, ReadsFactorsAndValuesWithUnits) {
  WhatIfOptions factors;
  ASSERT_TRUE(AddWhatIf("c3.s*0.1", factors).ok());
  EXPECT_EQ(factors.changes.at(0).parameter(), "c3.s");
  EXPECT_EQ(factors.changes.at(0).factor(), 0.1);
  EXPECT_TRUE(factors.units.empty());
  const struct {
    const char* text;
    double value;
    const char* unit;
  } kRows[] = {
      {"1us", 1e-6, "s"},
      {"2.5µs", 2.5e-6, "s"},
      {"3ms", 3e-3, "s"},
      {"4ns", 4e-9, "s"},
      {"0.5s", 0.5, "s"},
      {"7ps", 7e-12, "s"},
      {"1ns/B", 1e-9, "s/byte"},
      {"1us/byte", 1e-6, "s/byte"},
      {"8", 8, ""},
      {"1e-6", 1e-6, ""},
      {"4KiB", 4096., "byte"},
      {"512B", 512, "byte"},
      {"0", 0, ""},
  };
  for (const auto& row : kRows) {
    WhatIfOptions options;
    const absl::Status status =
        AddWhatIf(std::string("hockney.network.alpha=") + row.text, options);
    ASSERT_TRUE(status.ok()) << row.text << status;
    ASSERT_EQ(options.changes.size(), 1);
    EXPECT_EQ(options.changes[0].parameter(), "hockney.network.alpha");
    EXPECT_DOUBLE_EQ(options.changes[0].value(), row.value) << row.text;
    EXPECT_EQ(options.units["hockney.network.alpha"], row.unit) << row.text;
  }
}

TEST(WhatIfTest, RefusesWhatIsNoChange) {
  WhatIfOptions options;
  for (const char* text : {"", "alpha", "=1", "*2", "alpha=", "alpha*", "alpha=-1", "alpha=nan",
                           "alpha=1 us", "alpha=1kg", "alpha*1us", "alpha=inf", "alpha*1e999"}) {
    EXPECT_FALSE(AddWhatIf(text, options).ok()) << text;
  }
  EXPECT_TRUE(options.changes.empty());
}

}  // namespace
}  // namespace cox::cli
