#include "cli/output/drift_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace cox::cli {
namespace {

v1::Drift Drift(int64_t min_bytes, int64_t max_bytes) {
  v1::Drift drift;
  drift.set_level("network");
  drift.set_min_block_bytes(min_bytes);
  drift.set_max_block_bytes(max_bytes);
  drift.set_factor(1.984);
  return drift;
}

TEST(DriftTextTest, SaysWhichSizes) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  const struct {
    int64_t min_bytes;
    int64_t max_bytes;
    const char* text;
  } cases[] = {
      {0, kAny, "times over the network are 1.98 times what they were"},
      {1 << 10, kAny, "times over the network of 1 KiB or more are 1.98 times what they were"},
      {0, (1 << 15) - 1,
       "times over the network of less than 32 KiB are 1.98 times what they were"},
      {1 << 10, (1 << 15) - 1,
       "times over the network of 1 KiB to less than 32 KiB are 1.98 times what they were"},
  };
  for (const auto& [min_bytes, max_bytes, text] : cases) {
    EXPECT_EQ(DescribeDrift(Drift(min_bytes, max_bytes)), text);
  }
}

TEST(DriftTextTest, SaysOfWhat) {
  v1::Drift drift = Drift(0, std::numeric_limits<int64_t>::max());
  drift.set_level("node");
  drift.set_library("openmpi-4.1");
  drift.set_collective("bcast");
  EXPECT_EQ(DescribeDrift(drift),
            "times of openmpi-4.1 bcast within a node are 1.98 times what they were");
}

}  // namespace
}  // namespace cox::cli
