#include "domain/pattern/sketch.h"

#include <gtest/gtest.h>

namespace cox::domain {
namespace {

TEST(PatternSketchTest, SaturatedCountsHaveATotal) {
  PatternSketch part;
  part.destination_counts.fill(int64_t{1} << 57);
  PatternSketch whole = part;
  for (int i = 0; i < 16; ++i) Add(part, whole);
  EXPECT_EQ(whole.destination_counts, part.destination_counts);
  EXPECT_EQ(TotalOf(whole.destination_counts), kPatternClasses * (int64_t{1} << 57));
}

TEST(PatternSketchTest, TheLeastSumTakesTheLeastOfEachClass) {
  PatternCounts counts{};
  EXPECT_EQ(LeastSumOf(counts), 0);
  counts[0] = 5;  // the number 0
  counts[1] = 2;  // 1
  counts[3] = 3;  // 4..7
  EXPECT_EQ(LeastSumOf(counts), 14);
}

}  // namespace
}  // namespace cox::domain
