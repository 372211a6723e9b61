#include "learn/correct/default_votes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/shape.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

constexpr char kOtherVote[] = "somebodys-mpi-1.0";  // a library whose default is not known

void AddCell(const char* name, int64_t bytes, double time_s, std::vector<Cell>* cells) {
  cells->push_back(MakeCell("alltoall", name, 8, 4, bytes, time_s));
  cells->back().library = kOtherVote;
}

// A default that is "low" up to `threshold` bytes and "high" beyond.
std::vector<Cell> WithThreshold(int64_t threshold) {
  std::vector<Cell> cells;
  for (int64_t bytes = 16; bytes <= 1 << 20; bytes *= 4) {
    const double low_s = 1e-6 * static_cast<double>(bytes);
    const double high_s = 3 * low_s;
    AddCell("low", bytes, low_s, &cells);
    AddCell("high", bytes, high_s, &cells);
    AddCell("default", bytes, bytes <= threshold ? low_s : high_s, &cells);
  }
  return cells;
}

struct Votes {
  double high = 0;
  double low = 0;
  double total = 0;
};

Votes VotesAt(const std::vector<Cell>& cells, int64_t bytes) {
  const domain::Shape shape;
  const std::vector<PreparedCell> prepared = PrepareCells(cells, shape);
  const DefaultVotes votes = DefaultVotes::Build(prepared, kOtherVote, "alltoall");
  EXPECT_EQ(votes.names().size(), 2U);
  std::vector<double> parts(2);
  const double total =
      votes.VotesAt(CoordinatesOf({8, 4, 32, static_cast<double>(bytes)}), absl::MakeSpan(parts));
  return {parts[0], parts[1], total};
}

TEST(DefaultVotesTest, WhatTakesAsLongIsWhatRan) {
  const std::vector<Cell> cells = WithThreshold(1024);
  const Votes small = VotesAt(cells, 64);
  EXPECT_GT(small.low, 0.8 * small.total);
  const Votes large = VotesAt(cells, 1 << 16);
  EXPECT_GT(large.high, 0.8 * large.total);
  // Between the last size below and the first above the threshold it is not known.
  const Votes between = VotesAt(cells, 2048);
  EXPECT_NEAR(between.low / between.total, 0.5, 0.2);
  EXPECT_NEAR(between.high / between.total, 0.5, 0.2);
}

TEST(DefaultVotesTest, ATimeLikeNoneOfThemIsAVoteForNone) {
  std::vector<Cell> cells;
  for (int64_t bytes = 16; bytes <= 1 << 16; bytes *= 4) {
    const double low_s = 1e-6 * static_cast<double>(bytes);
    AddCell("low", bytes, low_s, &cells);
    AddCell("high", bytes, 9 * low_s, &cells);
    AddCell("default", bytes, 3 * low_s, &cells);
  }
  const Votes votes = VotesAt(cells, 1024);
  EXPECT_LT(votes.low + votes.high, 0.01 * votes.total);
}

TEST(DefaultVotesTest, FarFromAnyTimingThereIsNoVote) {
  const std::vector<Cell> cells = WithThreshold(1024);
  EXPECT_GT(VotesAt(cells, 1024).total, 1);
  EXPECT_LT(VotesAt(cells, int64_t{1} << 40).total, 0.01);
}

TEST(DefaultVotesTest, NothingTimedBesideTheDefaultIsNoVote) {
  std::vector<Cell> cells;
  AddCell("default", 64, 1e-5, &cells);
  AddCell("low", 128, 1e-5, &cells);
  const domain::Shape shape;
  const DefaultVotes votes =
      DefaultVotes::Build(PrepareCells(cells, shape), kOtherVote, "alltoall");
  EXPECT_TRUE(votes.names().empty());
  EXPECT_EQ(votes.VotesAt({5, 3, 6}, {}), 0);
}

TEST(DefaultVotesTest, ManyPlacesAreThinnedOutAndStillSayTheSame) {
  std::vector<Cell> cells;
  for (int64_t bytes = 1; bytes <= 2000; ++bytes) {
    const double low_s = 1e-6 * static_cast<double>(bytes);
    AddCell("low", bytes, low_s, &cells);
    AddCell("high", bytes, 3 * low_s, &cells);
    AddCell("default", bytes, bytes <= 64 ? low_s : 3 * low_s, &cells);
  }
  const Votes small = VotesAt(cells, 16);
  const Votes large = VotesAt(cells, 1024);
  EXPECT_LE(large.total, DefaultVotes::kMaxPlaces);
  EXPECT_GT(small.low, 0.8 * small.total);
  EXPECT_GT(large.high, 0.8 * large.total);
}

TEST(DefaultVotesTest, ManyNamesAreBoundedToTheMostTimedOnes) {
  std::vector<Cell> cells = WithThreshold(1024);
  for (int i = 0; i < 500; ++i) AddCell(("once-" + std::to_string(i)).c_str(), 64, 1e-5, &cells);
  const domain::Shape shape;
  const DefaultVotes votes =
      DefaultVotes::Build(PrepareCells(cells, shape), kOtherVote, "alltoall");
  EXPECT_EQ(votes.names().size(), DefaultVotes::kMaxNames);
  EXPECT_THAT(votes.names(), ::testing::IsSupersetOf({"high", "low"}));
}

}  // namespace
}  // namespace cox::learn
