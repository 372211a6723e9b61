#include "agent/timing/sketches.h"

#include <gtest/gtest.h>

#include <memory>

#include "domain/pattern/classes.h"

namespace cox::agent {
namespace {

using domain::PatternKind;

class SketchesTest : public testing::Test {
 protected:
  // As the system gives the memory: all zero.
  SketchesTest() : memory_(new uint64_t[sizeof(Sketches) / sizeof(uint64_t) + 1]()) {}
  Sketches& sketches() { return *reinterpret_cast<Sketches*>(memory_.get()); }

  // A phase of rank 2 of 8, to these ranks with `bytes` each.
  void AddPhase(std::initializer_list<int> destinations, int64_t bytes, PhaseTime time = {}) {
    if (!sketches().AddPhase(PatternKind::kAlltoallv, 8, time)) return;
    PhaseShape shape;
    shape.Begin(2, 8);
    for (const int to : destinations) {
      shape.AddDestination(to);
      shape.AddMessage(to, bytes);
    }
    sketches().AddSample(PatternKind::kAlltoallv, shape);
  }
  SketchSums Taken(int index = 0) {
    SketchSums sums = {};
    PatternKind kind = {};
    int ranks = 0;
    EXPECT_TRUE(sketches().Take(index, &kind, &ranks, &sums));
    EXPECT_EQ(ranks, 8);
    return sums;
  }

  std::unique_ptr<uint64_t[]> memory_;
};

TEST_F(SketchesTest, CountsDestinationsBytesAndDistances) {
  AddPhase({1, 3, 7, 2}, 1024);  // itself does not count
  const SketchSums sums = Taken();
  EXPECT_EQ(sums.phases, 1);
  EXPECT_EQ(sums.samples, 1);
  EXPECT_EQ(sums.bytes, 3 * 1024);
  EXPECT_EQ(sums.destinations[domain::PatternClassOf(3)], 1);
  EXPECT_EQ(sums.sizes[domain::PatternClassOf(1024)], 3);
  EXPECT_EQ(sums.distances[domain::PatternClassOf(1)], 2);
  // From 2 to 7 it is 3 ranks the other way round.
  EXPECT_EQ(sums.distances[domain::PatternClassOf(3)], 1);
}

TEST_F(SketchesTest, TakesLeaveZeros) {
  AddPhase({1}, 8);
  Taken();
  SketchSums sums = {};
  PatternKind kind = {};
  int ranks = 0;
  EXPECT_FALSE(sketches().Take(0, &kind, &ranks, &sums));
  AddPhase({1}, 16);
  EXPECT_EQ(Taken().bytes, 16);
}

TEST_F(SketchesTest, SamplesFewPhasesAndCountsAll) {
  constexpr int kPhases = 340;
  for (int i = 0; i < kPhases; ++i) AddPhase({1}, 8);
  const SketchSums sums = Taken();
  EXPECT_EQ(sums.phases, kPhases);
  EXPECT_EQ(sums.samples, Sketches::kFirstSamples + kPhases / Sketches::kSampleGap);
}

TEST_F(SketchesTest, SeesThatAPatternRepeatsAlsoIfItAlternates) {
  for (int i = 0; i < 340; ++i) AddPhase({i % 2 == 0 ? 1 : 5}, 8);
  const SketchSums sums = Taken();
  // All samples but the first of each kind.
  EXPECT_EQ(sums.repeats, sums.samples - 2);
  EXPECT_GT(sums.distances[domain::PatternClassOf(1)], 0);
  EXPECT_GT(sums.distances[domain::PatternClassOf(3)], 0);
}

TEST_F(SketchesTest, PatternsThatNeverRepeatHaveNoRepeats) {
  for (int i = 0; i < 340; ++i) AddPhase({1}, 8 + i);
  EXPECT_EQ(Taken().repeats, 0);
}

TEST_F(SketchesTest, TimesThePhaseAndTheWorkBeforeIt) {
  AddPhase({1}, 8, {1000, 1300});
  AddPhase({1}, 8, {2300, 2500});
  AddPhase({1}, 8, {2600, 2610});
  const SketchSums sums = Taken();
  // Of the first phase nobody knows the work before it.
  EXPECT_EQ(sums.timed, 2);
  EXPECT_EQ(sums.inside_ns, 200 + 10);
  EXPECT_EQ(sums.between_ns, 1000 + 100);
}

TEST_F(SketchesTest, APhaseWithoutATimeSeparatesItsNeighbours) {
  AddPhase({1}, 8, {1000, 1300});
  AddPhase({1}, 8);
  AddPhase({1}, 8, {2600, 2610});
  EXPECT_EQ(Taken().timed, 0);
}

TEST_F(SketchesTest, KeepsKindsAndCommunicatorsApartUntilAllAreInUse) {
  for (int ranks = 1; ranks <= Sketches::kMost; ++ranks) {
    EXPECT_TRUE(sketches().AddPhase(PatternKind::kNeighbour, ranks, {}));
  }
  EXPECT_FALSE(sketches().AddPhase(PatternKind::kMessages, 2, {}));
  for (int i = 0; i < Sketches::kMost; ++i) {
    SketchSums sums = {};
    PatternKind kind = {};
    int ranks = 0;
    ASSERT_TRUE(sketches().Take(i, &kind, &ranks, &sums));
    EXPECT_EQ(kind, PatternKind::kNeighbour);
    EXPECT_EQ(ranks, i + 1);
    EXPECT_EQ(sums.phases, 1);
  }
}

}  // namespace
}  // namespace cox::agent
