#include "library/default_ranges.h"

#include <gtest/gtest.h>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/default_choice.h"

namespace cox::library {
namespace {

using domain::Collective;
using strategy::Scenario;

TEST(DefaultRangesTest, EachByteHasTheChoiceOfItsRange) {
  for (const int64_t ranks : {2, 5, 16, 100, 5000}) {
    for (const Collective collective : {Collective::kAlltoall, Collective::kBcast,
                                        Collective::kAllreduce, Collective::kReduceScatter}) {
      Scenario scenario{.collective = collective, .ranks = ranks};
      const auto ranges = DefaultRanges("openmpi-4.1", scenario, kUsualCalls);
      ASSERT_FALSE(ranges.empty());
      EXPECT_EQ(ranges.front().block_bytes, 0);
      size_t at = 0;
      for (int64_t bytes = 0; bytes < 100'000; ++bytes) {
        if (at + 1 < ranges.size() && ranges[at + 1].block_bytes == bytes) ++at;
        scenario.block_bytes = bytes;
        const Algorithm* chosen = DefaultChoice("openmpi-4.1", scenario, kUsualCalls);
        ASSERT_EQ(chosen, ranges[at].chosen) << ranks << " " << bytes;
        ASSERT_EQ(Effective(*chosen, scenario, kUsualCalls), ranges[at].runs);
      }
    }
  }
}

TEST(DefaultRangesTest, TellsWhatRunsInsteadOfTheChoice) {
  // 16 ranks: Rabenseifner's form from 4 KiB on; with elements of 1 KiB there are too few of them.
  const Scenario scenario{.collective = Collective::kAllreduce, .ranks = 16, .type_bytes = 1024};
  bool fell_back = false;
  for (const DefaultRange& range : DefaultRanges("openmpi-4.1", scenario, kUsualCalls)) {
    fell_back |= range.chosen->native_name == "rabenseifner" &&
                 range.runs->native_name == "basic_linear" && range.block_bytes == 4096;
  }
  EXPECT_TRUE(fell_back);
}

// MPICH's bcast between two sizes is split over nodes in a way that has no name.
TEST(DefaultRangesTest, WhatHasNoNameEndsTheRangeBefore) {
  const Scenario scenario{.collective = Collective::kBcast, .ranks = 16, .ppn = 4};
  const auto ranges = DefaultRanges("mpich-4.0", scenario, kUsualCalls);
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ranges[0].chosen->native_name, "smp");
  EXPECT_EQ(ranges[1].block_bytes, 12288);
  EXPECT_EQ(ranges[1].chosen, nullptr);
  EXPECT_EQ(ranges[1].runs, nullptr);
  EXPECT_EQ(ranges[2].block_bytes, 524288);
  EXPECT_EQ(ranges[2].chosen->native_name, "scatter_recursive_doubling_allgather");
  EXPECT_EQ(ranges[3].block_bytes, 524289);
  EXPECT_EQ(ranges[3].chosen->native_name, "scatter_ring_allgather");
}

TEST(DefaultRangesTest, IsEmptyWhereTheDefaultIsNotKnown) {
  EXPECT_TRUE(DefaultRanges("no-such", {.ranks = 4}, kUsualCalls).empty());
  EXPECT_TRUE(DefaultRanges("openmpi-4.1", {.ranks = 1}, kUsualCalls).empty());
  EXPECT_EQ(
      DefaultRanges("openmpi-4.1", {.collective = Collective::kBarrier, .ranks = 4}, kUsualCalls)
          .size(),
      1U);
}

}  // namespace
}  // namespace cox::library
