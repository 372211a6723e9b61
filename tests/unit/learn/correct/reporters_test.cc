#include "learn/correct/trust/reporters.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace cox::learn {
namespace {

constexpr int64_t kAda = 7;
constexpr int64_t kTrudy = 8;
constexpr int64_t kManyReporters = 0;

domain::ScenarioKey Call(int64_t ranks, int64_t block_bytes) {
  domain::ScenarioKey call;
  call.nodes = ranks / 4;
  call.ppn = 4;
  call.ranks = ranks;
  call.block_bytes = block_bytes;
  return call;
}

bool IsOneAt(const Reporters& reporters, int64_t ranks, int64_t block_bytes) {
  return reporters.IsOneAt(ranks / 4, 4, ranks, block_bytes);
}

TEST(ReportersTest, NobodyIsNotOne) { EXPECT_FALSE(IsOneAt(Reporters(), 16, 1024)); }

TEST(ReportersTest, TheNeighbouringSizesTell) {
  Reporters reporters;
  reporters.Add(Call(16, 1024), kManyReporters);
  reporters.Add(Call(16, 2048), kAda);
  reporters.Add(Call(16, 4096), kAda);
  reporters.Add(Call(16, 8192), kTrudy);
  EXPECT_FALSE(IsOneAt(reporters, 16, 1));
  EXPECT_FALSE(IsOneAt(reporters, 16, 1024));
  EXPECT_FALSE(IsOneAt(reporters, 16, 1025)) << "several at 1024";
  EXPECT_TRUE(IsOneAt(reporters, 16, 2048));
  EXPECT_TRUE(IsOneAt(reporters, 16, 3000));
  EXPECT_TRUE(IsOneAt(reporters, 16, 4096));
  EXPECT_FALSE(IsOneAt(reporters, 16, 5000)) << "another one at each side";
  EXPECT_TRUE(IsOneAt(reporters, 16, 8192));
  EXPECT_TRUE(IsOneAt(reporters, 16, int64_t{1} << 40));
}

TEST(ReportersTest, OtherShapesTellOnlyWhereNobodyTimedThisOne) {
  Reporters reporters;
  reporters.Add(Call(16, 1024), kAda);
  reporters.Add(Call(64, 1024), kAda);
  EXPECT_TRUE(IsOneAt(reporters, 32, 1024));
  reporters.Add(Call(128, 1024), kManyReporters);
  EXPECT_FALSE(IsOneAt(reporters, 32, 1024));
  EXPECT_TRUE(IsOneAt(reporters, 16, 4096));
  EXPECT_FALSE(IsOneAt(reporters, 128, 512));
}

// A call has a cell of benchmarks and one of jobs.
TEST(ReportersTest, TwoCellsOfOneCallAreOnePlace) {
  Reporters reporters;
  reporters.Add(Call(16, 1024), kAda);
  reporters.Add(Call(16, 1024), kAda);
  EXPECT_TRUE(IsOneAt(reporters, 16, 1024));
  reporters.Add(Call(16, 1024), kTrudy);
  EXPECT_FALSE(IsOneAt(reporters, 16, 1024));
}

}  // namespace
}  // namespace cox::learn
