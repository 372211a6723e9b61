#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "domain/level.h"
#include "domain/profile.h"
#include "learn/correct/corrections.h"
#include "learn/correct/residual.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kLibrary[] = "openmpi-4.1";

domain::Profile Machine() { return HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10); }

// Alltoalls that take `factor` times as long as the structure says.
std::vector<Cell> CellsOff(double factor, const std::string& algorithm = "pairwise") {
  std::vector<Cell> cells;
  for (int64_t nodes : {2, 4, 8}) {
    for (int64_t bytes : {16, 256, 4096, 65536}) {
      Cell cell = MakeCell("alltoall", algorithm, nodes, 4, bytes, 1);
      cell.mean_log_time = std::log(factor * PriceOf(cell, Machine()));
      cells.push_back(cell);
    }
  }
  return cells;
}

Estimate EstimateAt(const Corrections& corrections, const std::string& algorithm, int64_t nodes,
                    int64_t bytes) {
  const Cell asked = MakeCell("alltoall", algorithm, nodes, 4, bytes, 1);
  return PredictAt(*corrections.Find(kLibrary, "alltoall", algorithm), PriceOf(asked, Machine()),
                   {static_cast<double>(nodes), 4, static_cast<double>(asked.ranks),
                    static_cast<double>(bytes)});
}
// With four ranks on each node.
Estimate UnstructuredAt(const Corrections& corrections, const std::string& collective,
                        const std::string& algorithm, int64_t nodes, int64_t bytes) {
  const auto count = static_cast<double>(nodes);
  return UnstructuredAt(corrections, kLibrary, collective, algorithm,
                        {count, 4, 4 * count, static_cast<double>(bytes)});
}
double PriceAt(int64_t nodes, int64_t bytes) {
  return PriceOf(MakeCell("alltoall", "pairwise", nodes, 4, bytes, 1), Machine());
}

TEST(CorrectionTest, WithoutDataTheStructurePredicts) {
  const auto corrections = BuildCorrections(Machine(), {});
  const Estimate estimate = EstimateAt(*corrections, "pairwise", 4, 1024);
  ASSERT_TRUE(estimate.known);
  EXPECT_NEAR(std::exp(estimate.log_time) / PriceAt(4, 1024), 1, 1e-9);
  EXPECT_GT(estimate.sigma, 0.3);
  EXPECT_EQ(estimate.support, 0);
  EXPECT_FALSE(corrections->Find(kLibrary, "alltoall", "pairwise")->has_data());
  EXPECT_EQ(corrections->model(), "hockney");
  EXPECT_THAT(corrections->Algorithms(kLibrary, "alltoall"), IsEmpty());
}

TEST(CorrectionTest, NearnessIsOfPlacesAndNotOfWhatIsKnownThere) {
  std::vector<Cell> cells = CellsOff(2);
  const auto sure = BuildCorrections(Machine(), cells);
  EXPECT_EQ(EstimateAt(*sure, "linear", 4, 256).nearness, 0) << "the structure alone";
  EXPECT_NEAR(EstimateAt(*sure, "pairwise", 4, 256).nearness, 1, 1e-6);
  const double twice_the_bytes = EstimateAt(*sure, "pairwise", 8, 131072).nearness;
  EXPECT_LT(twice_the_bytes, 1);
  EXPECT_GT(twice_the_bytes, EstimateAt(*sure, "pairwise", 16, 65536).nearness);
  // Timings that scatter are less sure, but as near.
  for (Cell& cell : cells) cell.variance_log_time = 0.5;
  const auto scattered = BuildCorrections(Machine(), cells);
  const Estimate unsure = EstimateAt(*scattered, "pairwise", 4, 256);
  EXPECT_GT(unsure.own_sigma, 1.5 * EstimateAt(*sure, "pairwise", 4, 256).own_sigma);
  EXPECT_NEAR(unsure.nearness, 1, 1e-6);
}

// Times of an algorithm that nobody knows, in proportion to ranks and bytes.
std::vector<Cell> UnknownCells(const std::string& algorithm, std::vector<int64_t> nodes) {
  std::vector<Cell> cells;
  for (const int64_t count : nodes) {
    for (const int64_t bytes : {16, 256, 4096, 65536}) {
      Cell cell = MakeCell("alltoall", algorithm, count, 4, bytes, 1);
      cell.mean_log_time =
          std::log(1e-6 * static_cast<double>(cell.ranks) + 1e-9 * static_cast<double>(bytes));
      cells.push_back(cell);
    }
  }
  return cells;
}

// Its times might grow with any power of ranks from 0 to 2: from 8 to 64 ranks that is a standard
// deviation of 0.58 x ln 8. Two numbers of ranks tell the power, and a structure does, too.
TEST(CorrectionTest, OneNumberOfRanksDoesNotTellHowTimesGrow) {
  std::vector<Cell> cells = UnknownCells("lone", {2});
  for (const Cell& cell : UnknownCells("twice", {2, 4})) cells.push_back(cell);
  for (const Cell& cell : UnknownCells("pairwise", {2})) cells.push_back(cell);
  const auto corrections = BuildCorrections(Machine(), cells);
  const Estimate lone = EstimateAt(*corrections, "lone", 16, 4096);
  ASSERT_TRUE(lone.known);
  EXPECT_GT(lone.own_sigma, 0.58 * std::log(8));
  EXPECT_GE(lone.sigma, lone.own_sigma);
  EXPECT_LT(EstimateAt(*corrections, "lone", 2, 1024).sigma, 0.5);
  EXPECT_LT(EstimateAt(*corrections, "twice", 16, 4096).sigma, 0.58 * std::log(8));
  EXPECT_LT(EstimateAt(*corrections, "pairwise", 16, 4096).sigma, 0.58 * std::log(8));
}

TEST(CorrectionTest, NeitherStructureNorDataIsUnknown) {
  const auto corrections = BuildCorrections({}, {});
  EXPECT_FALSE(EstimateAt(*corrections, "no_such", 4, 1024).known);
  EXPECT_EQ(corrections->model(), "");
  const Correction* found = corrections->Find(kLibrary, "alltoall", "pairwise");
  for (double price_s : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(PredictAt(*found, price_s, {1, 4, 4, 8}).known) << price_s;
  }
}

TEST(CorrectionTest, NearDataItFollowsTheDataAwayFromItTheStructure) {
  for (double factor : {0.4, 2.5}) {
    const auto corrections = BuildCorrections(Machine(), CellsOff(factor));
    const Estimate near = EstimateAt(*corrections, "pairwise", 4, 1024);
    const Estimate far = EstimateAt(*corrections, "pairwise", 4096, 64 << 20);
    EXPECT_NEAR(std::exp(near.log_time) / PriceAt(4, 1024), factor, 0.1 * factor);
    // Far away the form of the structure remains: between its price and the factor on it.
    const double far_factor = std::exp(far.log_time) / PriceAt(4096, 64 << 20);
    EXPECT_GE(far_factor, 0.9 * std::min(1.0, factor));
    EXPECT_LE(far_factor, 1.1 * std::max(1.0, factor));
    EXPECT_LT(near.sigma, far.sigma);
    EXPECT_GT(near.support, 1);
    EXPECT_LT(far.support, 0.1 * near.support);
  }
}

TEST(CorrectionTest, AUsersOwnAlgorithmIsLearnedFromDataAlone) {
  std::vector<Cell> cells;
  const auto time_at = [](double nodes, double bytes) { return 4e-6 * nodes + 3e-9 * bytes; };
  for (int64_t nodes : {2, 4, 16}) {
    for (int64_t bytes : {16, 1024, 65536, 1 << 20}) {
      cells.push_back(MakeCell("alltoall", "own", nodes, 4, bytes,
                               time_at(static_cast<double>(nodes), static_cast<double>(bytes))));
    }
  }
  const auto corrections = BuildCorrections({}, cells);
  for (const auto& [nodes, bytes] : {std::pair(8, 4096), std::pair(4, 200000), std::pair(16, 64)}) {
    const Estimate estimate = UnstructuredAt(*corrections, "alltoall", "own", nodes, bytes);
    ASSERT_TRUE(estimate.known);
    EXPECT_NEAR(std::exp(estimate.log_time) / time_at(nodes, bytes), 1, 0.2);
  }
  EXPECT_THAT(corrections->Algorithms(kLibrary, "alltoall"), ElementsAre("own"));
}

TEST(CorrectionTest, ACollectiveOutsideTheCatalogueIsLearnedToo) {
  std::vector<Cell> cells;
  for (int64_t bytes : {64, 1024, 16384}) {
    cells.push_back(MakeCell("neighbor_allgather", "neighbor", 4, 4, bytes,
                             1e-5 + 1e-9 * static_cast<double>(bytes)));
  }
  const auto corrections = BuildCorrections(Machine(), cells);
  EXPECT_TRUE(UnstructuredAt(*corrections, "neighbor_allgather", "neighbor", 4, 4096).known);
}

TEST(CorrectionTest, TimesOfAFallbackBelongToTheCodeThatRan) {
  // 5 ranks: recursive doubling runs bruck.
  const auto corrections =
      BuildCorrections(Machine(), {MakeCell("allgather", "recursive_doubling", 5, 1, 64, 1e-5),
                                   MakeCell("allgather", "neighbor", 5, 1, 64, 2e-5),
                                   MakeCell("allgather", "linear", 5, 1, 64, 3e-5)});
  EXPECT_THAT(corrections->Algorithms(kLibrary, "allgather"),
              ElementsAre("bruck", "linear", "ring"));
}

TEST(CorrectionTest, TimesOfTheDefaultAreItsOwn) {
  // The default for 32 ranks and 64 bytes is bruck.
  const std::vector<Cell> cells = {MakeCell("alltoall", "default", 8, 4, 64, 1e-3)};
  const auto corrections = BuildCorrections(Machine(), cells);
  EXPECT_THAT(corrections->Algorithms(kLibrary, "alltoall"), ElementsAre("default"));
  EXPECT_FALSE(corrections->Find(kLibrary, "alltoall", "modified_bruck")->has_data());
  const double price_s = PriceOf(cells[0], Machine());
  ASSERT_GT(price_s, 0);
  const Correction* the_default = corrections->Find(kLibrary, "alltoall", "default");
  EXPECT_NEAR(std::exp(PredictAt(*the_default, price_s, {8, 4, 32, 64}).log_time) / 1e-3, 1, 0.3);
}

TEST(CorrectionTest, ATrendThatRestsOnStructureNeedsIt) {
  std::vector<Cell> cells;
  for (int64_t bytes : {64, 256, 1024, 4096, 16384}) {
    Cell cell = MakeCell("alltoall", "default", 8, 4, bytes, 1);
    cell.mean_log_time = std::log(2 * PriceOf(cell, Machine()));
    cells.push_back(std::move(cell));
  }
  const auto corrections = BuildCorrections(Machine(), cells);
  const Correction* the_default = corrections->Find(kLibrary, "alltoall", "default");
  EXPECT_TRUE(PredictAt(*the_default, 1e-5, {8, 4, 32, 1024}).known);
  EXPECT_FALSE(PredictAt(*the_default, 0, {8, 4, 32, 1024}).known);
}

TEST(CorrectionTest, ADefaultOfPartlyKnownStructureIsLearnedFromTimesAlone) {
  // 24 ranks: binomial below 1 MiB, then scatter and allgather, of which the catalogue has the
  // structure for powers of two only.
  std::vector<Cell> cells;
  for (int64_t bytes : {1 << 18, 1 << 19, 1 << 20, 1 << 21}) {
    cells.push_back(
        MakeCell("bcast", "default", 24, 1, bytes, 1e-5 + 1e-8 * static_cast<double>(bytes)));
  }
  EXPECT_GT(PriceOf(cells[0], Machine()), 0);
  EXPECT_EQ(PriceOf(cells[2], Machine()), 0);
  const auto corrections = BuildCorrections(Machine(), cells);
  const Correction* the_default = corrections->Find(kLibrary, "bcast", "default");
  const Estimate without = PredictAt(*the_default, 0, {24, 1, 24, 3 << 18});
  ASSERT_TRUE(without.known);
  EXPECT_EQ(without.log_time, PredictAt(*the_default, 1e-3, {24, 1, 24, 3 << 18}).log_time);
}

TEST(CorrectionTest, BrokenCellsAreLeftOut) {
  std::vector<Cell> cells = CellsOff(2);
  cells[0].mean_log_time = std::nan("");
  cells[1].weight = -1;
  cells[2].mean_log_time = HUGE_VAL;
  const auto corrections = BuildCorrections(Machine(), cells);
  const Estimate estimate = EstimateAt(*corrections, "pairwise", 4, 1024);
  EXPECT_TRUE(std::isfinite(estimate.log_time));
  EXPECT_NEAR(std::exp(estimate.log_time) / PriceAt(4, 1024), 2, 0.3);
}

TEST(CorrectionTest, OneWildCellDoesNotSpoilItsNeighbourhood) {
  std::vector<Cell> cells = CellsOff(1);
  const double without_sigma =
      EstimateAt(*BuildCorrections(Machine(), cells), "pairwise", 2, 64).sigma;
  Cell wild = MakeCell("alltoall", "pairwise", 4, 4, 1000, 1);
  wild.mean_log_time = std::log(PriceOf(wild, Machine()) * 15);
  cells.push_back(wild);
  const auto corrections = BuildCorrections(Machine(), cells);
  // A doubling or more away from it predictions stay within a factor of three, and say that they
  // are less certain than without it.
  const Estimate spoiled = EstimateAt(*corrections, "pairwise", 2, 64);
  EXPECT_LT(std::abs(spoiled.log_time - std::log(PriceAt(2, 64))), std::log(3.0));
  EXPECT_GT(spoiled.sigma, without_sigma);
}

TEST(CorrectionTest, ACellThatItsNeighboursContradictBeyondReasonSaysNothing) {
  std::vector<Cell> cells = CellsOff(1);
  const Estimate without = EstimateAt(*BuildCorrections(Machine(), cells), "pairwise", 2, 64);
  Cell wild = MakeCell("alltoall", "pairwise", 4, 4, 1000, 1);
  wild.mean_log_time = std::log(PriceOf(wild, Machine()) * 1e4);
  wild.weight = 1e6;
  cells.push_back(wild);
  const Estimate with = EstimateAt(*BuildCorrections(Machine(), cells), "pairwise", 2, 64);
  EXPECT_NEAR(with.log_time, without.log_time, 1e-9);
  EXPECT_NEAR(with.sigma, without.sigma, 1e-9);
}

TEST(CorrectionTest, ThousandsOfCellsStayBounded) {
  std::vector<Cell> cells;
  for (int64_t ranks = 2; ranks < 120; ++ranks) {
    for (int64_t bytes = 8; bytes < 10000; bytes += 173) {
      Cell cell = MakeCell("alltoall", "pairwise", ranks, 1, bytes, 1);
      cell.mean_log_time = std::log(1.5 * PriceOf(cell, Machine()));
      cells.push_back(cell);
    }
  }
  const auto corrections = BuildCorrections(Machine(), cells);
  const Estimate estimate = EstimateAt(*corrections, "pairwise", 10, 3000);
  EXPECT_NEAR(std::exp(estimate.log_time) / PriceAt(10, 3000), 1.5, 0.2);
}

TEST(CorrectionTest, TheModelThatMadeTheTimesIsSelected) {
  domain::Profile both = Machine();
  for (domain::Level level : {domain::Level::kNode, domain::Level::kNetwork}) {
    both.Set(MakeParameter("hyperbolic", level, "a", 4e-5));
    both.Set(MakeParameter("hyperbolic", level, "b", 5e-9));
  }
  Noise noise(3, 0.05);
  for (const std::string model : {"hockney", "hyperbolic"}) {
    EXPECT_EQ(BuildCorrections(both, PricedCells(both, noise, model))->model(), model);
  }
}

// Seconds of this process.
double CostOf(const std::vector<Cell>& cells) {
  const std::clock_t begin = std::clock();
  BuildCorrections(Machine(), cells);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::vector<Cell> ManySizes(int count) {
  std::vector<Cell> cells;
  for (int bytes = 1; bytes <= count; ++bytes) {
    cells.push_back(MakeCell("alltoall", "pairwise", 4, 4, bytes, 1e-5 + 1e-9 * bytes));
  }
  return cells;
}

// A quadratic step would make it 64 times. Processors change their pace by a factor of two.
TEST(CorrectionTest, EightTimesAsManySizesDoNotCostSixtyFourTimesAsMuch) {
  const std::vector<Cell> few = ManySizes(12'500);
  const std::vector<Cell> many = ManySizes(100'000);
  double least_few_s = HUGE_VAL;
  double least_many_s = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    least_few_s = std::min(least_few_s, CostOf(few));
    least_many_s = std::min(least_many_s, CostOf(many));
  }
  EXPECT_LT(least_many_s / least_few_s, 25);
}

TEST(CorrectionTest, ManyAlgorithmsAreBoundedToTheMostObservedOnes) {
  std::vector<Cell> cells = CellsOff(1);
  for (int i = 0; i < 1000; ++i) {
    cells.push_back(MakeCell("alltoall", "once-" + std::to_string(i), 4, 4, 64, 1e-5));
  }
  const auto corrections = BuildCorrections(Machine(), cells);
  EXPECT_EQ(corrections->Algorithms(kLibrary, "alltoall").size(), Corrections::kMaxAlgorithms);
  EXPECT_THAT(corrections->Algorithms(kLibrary, "alltoall"), ::testing::Contains("pairwise"));
  EXPECT_TRUE(corrections->Find(kLibrary, "alltoall", "once-999")->has_data());
}

}  // namespace
}  // namespace cox::learn
