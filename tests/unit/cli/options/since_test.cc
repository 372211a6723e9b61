#include "cli/options/since.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::cli {
namespace {

std::string Read(absl::string_view text) {
  const absl::Time now = absl::FromUnixSeconds(1795161600);  // 2026-11-20T08:00:00Z
  const auto time = ParseSince(text, now);
  return time.ok() ? absl::FormatTime("%Y-%m-%dT%H:%M:%S", *time, absl::UTCTimeZone()) : "refused";
}

TEST(SinceTest, ReadsTimesAndAges) {
  EXPECT_EQ(Read("2026-11-01"), "2026-11-01T00:00:00");
  EXPECT_EQ(Read("2026-11-01T12:30:00Z"), "2026-11-01T12:30:00");
  EXPECT_EQ(Read("2026-11-01T12:30:00+01:00"), "2026-11-01T11:30:00");
  EXPECT_EQ(Read("90m"), "2026-11-20T06:30:00");
  EXPECT_EQ(Read("7d"), "2026-11-13T08:00:00");
  EXPECT_EQ(Read("0.5d"), "2026-11-19T20:00:00");
}

TEST(SinceTest, RefusesTheRest) {
  for (const char* text : {"", "yesterday", "-1h", "-2d", "inf", "2026-13-01", "1969-12-31",
                           "99999d", "7", "d", "nand", "infd"}) {
    EXPECT_EQ(Read(text), "refused") << text;
  }
}

}  // namespace
}  // namespace cox::cli
