#include "learn/correct/envelope_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "domain/profile.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

// A library with some known structures, whose default is not known.
constexpr char kOther[] = "mvapich-3.0";

// Two algorithms that are the better one at short and at long blocks, a slow one of known
// structure, and a default that takes `factor` times as long as the best one.
std::vector<Cell> Crossing(const std::string& library, double factor) {
  std::vector<Cell> cells;
  for (int64_t nodes : {2, 4, 8, 16}) {
    for (int64_t bytes = 16; bytes <= 1 << 20; bytes *= 4) {
      const auto size = static_cast<double>(bytes * nodes);
      const double short_s = 1e-6 * static_cast<double>(nodes) + 4e-9 * size;
      const double long_s = 2e-5 * static_cast<double>(nodes) + 1e-9 * size;
      for (const auto& [name, time_s] :
           {std::pair("for-short", short_s), std::pair("for-long", long_s),
            std::pair("pairwise", 10 * (short_s + long_s)),
            std::pair("default", factor * std::min(short_s, long_s))}) {
        cells.push_back(MakeCell("alltoall", name, nodes, 4, bytes, time_s));
        cells.back().library = library;
      }
    }
  }
  return cells;
}

double EnvelopeAt(const Corrections& corrections, int64_t nodes, int64_t bytes) {
  const Point point{static_cast<double>(nodes), 4, static_cast<double>(4 * nodes),
                    static_cast<double>(bytes)};
  auto schedule = std::make_unique<model::Schedule>();
  AskedPoint asked(point);
  const Place place = PlaceAt(corrections, kOther, "alltoall", nullptr, &asked);
  return EnvelopeTime(*place.learned, [&](absl::string_view algorithm) {
    return EstimateOf(algorithm, place, {}, schedule.get());
  });
}

TEST(EnvelopeTest, IsTheLeastOfTheAlgorithmsTimes) {
  const auto corrections = BuildCorrections({}, Crossing(kOther, 2));
  EXPECT_NEAR(EnvelopeAt(*corrections, 8, 16) / (8e-6 + 4e-9 * 128), 1, 0.1);
  const double large = 8.0 * (1 << 20);
  EXPECT_NEAR(EnvelopeAt(*corrections, 8, 1 << 20) / (1.6e-4 + 1e-9 * large), 1, 0.1);
}

TEST(EnvelopeTest, ADefaultOfUnknownDecisionIsKnownAsAMultipleOfIt) {
  const auto corrections = BuildCorrections({}, Crossing(kOther, 2));
  const Correction* the_default = corrections->Find(kOther, "alltoall", "default");
  EXPECT_EQ(the_default->base(), Base::kEnvelope);
  EXPECT_EQ(corrections->Find(kOther, "alltoall", "for-short")->base(), Base::kStructure);
  // Between the sizes that were timed, on both sides of the place where the algorithms cross.
  for (const int64_t bytes : {100, 5'000, 700'000}) {
    const double envelope_s = EnvelopeAt(*corrections, 8, bytes);
    const Estimate estimate =
        PredictAt(*the_default, envelope_s, {8, 4, 32, static_cast<double>(bytes)});
    ASSERT_TRUE(estimate.known);
    EXPECT_NEAR(std::exp(estimate.log_time) / envelope_s, 2, 0.2) << bytes;
  }
}

TEST(EnvelopeTest, NothingTimedIsNoEnvelope) {
  EXPECT_EQ(EnvelopeAt(*BuildCorrections({}, {}), 8, 16), 0);
  std::vector<Cell> only_default = {MakeCell("alltoall", "default", 8, 4, 16, 1e-5)};
  only_default[0].library = kOther;
  EXPECT_EQ(EnvelopeAt(*BuildCorrections({}, only_default), 8, 16), 0);
}

TEST(EnvelopeTest, ADefaultWithAStructureIsNotOnIt) {
  const domain::Profile machine = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  std::vector<Cell> cells;
  for (int64_t bytes : {16, 256, 4096}) {
    Cell cell = MakeCell("alltoall", "default", 8, 4, bytes, 1);
    cell.mean_log_time = std::log(PriceOf(cell, machine));
    cells.push_back(cell);
  }
  const auto corrections = BuildCorrections(machine, cells);
  EXPECT_EQ(corrections->Find("openmpi-4.1", "alltoall", "default")->base(), Base::kStructure);
}

TEST(EnvelopeTest, AmongAlgorithmsWithoutStructureTheDefaultIsOneOfThem) {
  const std::string unknown = "somebodys-mpi-1.0";
  const auto corrections = BuildCorrections({}, Crossing(unknown, 2));
  EXPECT_EQ(corrections->Find(unknown, "alltoall", "default")->base(), Base::kCommonTime);
}

}  // namespace
}  // namespace cox::learn
