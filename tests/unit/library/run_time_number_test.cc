#include "library/run_time_number.h"

#include <gtest/gtest.h>

#include "domain/collective.h"
#include "library/algorithms.h"

namespace cox::library {
namespace {

using enum domain::Collective;

TEST(RunTimeNumberTest, WhatTheLibrariesTake) {
  EXPECT_EQ(RunTimeNumber("openmpi-4.1", kBcast, "scatter_allgather_ring"), 9);
  EXPECT_EQ(RunTimeNumber("openmpi-4.1", kAllreduce, "rabenseifner"), 6);
  // As MPICH 4.0.2 shows its variables.
  EXPECT_EQ(RunTimeNumber("mpich-4.0", kAlltoall, "brucks"), 1);
  EXPECT_EQ(RunTimeNumber("mpich-4.0", kBcast, "scatter_ring_allgather"), 5);
  EXPECT_EQ(RunTimeNumber("mpich-4.0", kReduceScatter, "noncommutative"), 2);
  EXPECT_EQ(RunTimeNumber("mpich-4.0", kReduceScatterBlock, "noncommutative"), 1);
  EXPECT_EQ(RunTimeNumber("mpich-4.0", kReduceScatterBlock, "nb"), 5);
}

TEST(RunTimeNumberTest, NothingForWhatCannotBeTold) {
  EXPECT_TRUE(TakesRunTimeNumbers("openmpi-4.1"));
  EXPECT_TRUE(TakesRunTimeNumbers("mpich-4.0"));
  EXPECT_FALSE(TakesRunTimeNumbers("intelmpi-2019"));
  EXPECT_EQ(RunTimeNumber("openmpi-4.1", kBcast, "default"), 0);
  EXPECT_EQ(RunTimeNumber("intelmpi-2019", kBcast, "binomial"), 0);
  EXPECT_EQ(FindRunTimeNumber("openmpi-4.1", kBcast, 0), nullptr);
  EXPECT_EQ(FindRunTimeNumber("mpich-4.0", kBcast, 6), nullptr);
}

TEST(RunTimeNumberTest, EveryRowIsFoundByItsNumber) {
  for (const absl::string_view library : {"openmpi-4.1", "mpich-4.0"}) {
    for (const Algorithm& row : AlgorithmsOf(library)) {
      const int number = RunTimeNumber(library, row.collective, row.native_name);
      ASSERT_GT(number, 0) << row.native_name;
      EXPECT_EQ(FindRunTimeNumber(library, row.collective, number), &row);
    }
  }
}

TEST(RunTimeNumberTest, LibcoxcollsNumbersAreAboveAnyLibrarys) {
  EXPECT_FALSE(TakesRunTimeNumbers(kCoxcoll));
  EXPECT_EQ(CoxcollNumber(kAlltoall, "modified_bruck"), 0);
  for (const Algorithm& row : AlgorithmsOf(kCoxcoll)) {
    const int number = CoxcollNumber(row.collective, row.native_name);
    ASSERT_GT(number, kMostRunTimeNumber) << row.native_name;
    ASSERT_LE(number, kMostCoxcollNumber);
    EXPECT_EQ(FindRunTimeNumber("openmpi-4.1", row.collective, number), &row);
  }
}

}  // namespace
}  // namespace cox::library
