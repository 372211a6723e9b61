#include "agent/stream/sketch_window.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace cox::agent {
namespace {

constexpr domain::PatternKey kJob = {.machine = "m", .application = "solver", .nodes = 1, .ppn = 4};

class Rows {
 public:
  Rows() {
    destinations_[2] = 3;
    sizes_[11] = 6;
    distances_[1] = 6;
  }
  // Of one rank: 5 phases, 3 of them sampled.
  CoxStreamSketch Row(domain::PatternKind kind, int32_t ranks) const {
    return {static_cast<int32_t>(kind),
            ranks,
            5,
            3,
            2,
            6144,
            4,
            8000,
            12'000,
            destinations_.data(),
            sizes_.data(),
            distances_.data()};
  }

 private:
  std::array<uint32_t, COX_STREAM_CLASSES> destinations_{};
  std::array<uint32_t, COX_STREAM_CLASSES> sizes_{};
  std::array<uint32_t, COX_STREAM_CLASSES> distances_{};
};

TEST(SketchWindowTest, SumsTheRanksOfANode) {
  SketchWindow window(kJob);
  const Rows rows;
  for (int rank = 0; rank < 4; ++rank) {
    window.Add(rows.Row(domain::PatternKind::kNeighbour, 4));
  }
  window.Add(rows.Row(domain::PatternKind::kMessages, 2));
  const auto taken = window.Take(true);
  ASSERT_EQ(taken.size(), 2);
  const domain::PatternSketch& sum = taken[0];
  EXPECT_EQ(sum.key.application, "solver");
  EXPECT_EQ(sum.key.kind, domain::PatternKind::kNeighbour);
  EXPECT_EQ(sum.key.ranks, 4);
  EXPECT_EQ(sum.phase_count, 20);
  EXPECT_EQ(sum.sampled_count, 12);
  EXPECT_EQ(sum.repeat_count, 8);
  EXPECT_EQ(sum.total_bytes, 4 * 6144);
  EXPECT_EQ(sum.timed_count, 16);
  EXPECT_DOUBLE_EQ(sum.inside_s, 32e-6);
  EXPECT_DOUBLE_EQ(sum.between_s, 48e-6);
  EXPECT_EQ(sum.destination_counts[2], 12);
  EXPECT_EQ(sum.size_counts[11], 24);
  EXPECT_EQ(sum.distance_counts[1], 24);
  EXPECT_EQ(taken[1].key.kind, domain::PatternKind::kMessages);
  EXPECT_TRUE(window.Take(true).empty());
}

TEST(SketchWindowTest, ReportsEveryTenthWindow) {
  SketchWindow window(kJob);
  const Rows rows;
  for (int i = 1; i < SketchWindow::kWindowsHeld; ++i) {
    window.Add(rows.Row(domain::PatternKind::kAlltoallv, 4));
    EXPECT_TRUE(window.Take(false).empty()) << i;
  }
  const auto taken = window.Take(false);
  ASSERT_EQ(taken.size(), 1);
  EXPECT_EQ(taken[0].phase_count, 5 * (SketchWindow::kWindowsHeld - 1));
}

TEST(SketchWindowTest, IgnoresRowsThatNoRankCanHaveWritten) {
  SketchWindow window(kJob);
  const Rows rows;
  CoxStreamSketch row = rows.Row(domain::PatternKind::kAlltoallv, 5);  // the job has 4 ranks
  window.Add(row);
  row = rows.Row(static_cast<domain::PatternKind>(7), 4);
  window.Add(row);
  row = rows.Row(domain::PatternKind::kAlltoallv, 0);
  window.Add(row);
  const CoxStreamSketch valid = rows.Row(domain::PatternKind::kAlltoallv, 4);
  const std::array<uint32_t, COX_STREAM_CLASSES> none{};
  for (const auto& spoil : std::vector<std::function<void(CoxStreamSketch*)>>{
           [](auto* r) { r->phases = uint64_t{1} << 63; },
           [](auto* r) { r->samples = uint64_t{1} << 63; },
           [](auto* r) { r->samples = 2; },
           [](auto* r) { r->repeats = 4; },
           [](auto* r) { r->timed = 6; },
           [&](auto* r) { r->sizes = none.data(); },
           [&](auto* r) { r->distances = none.data(); },
       }) {
    row = valid;
    spoil(&row);
    window.Add(row);
  }
  EXPECT_TRUE(window.Take(true).empty());
}

TEST(SketchWindowTest, IsBounded) {
  SketchWindow window({.machine = "m", .application = "a", .nodes = 1, .ppn = 1000});
  const Rows rows;
  for (int ranks = 1; ranks <= 1000; ++ranks) {
    window.Add(rows.Row(domain::PatternKind::kAlltoallv, ranks));
  }
  EXPECT_EQ(window.Take(true).size(), SketchWindow::kMaxSketches);
}

}  // namespace
}  // namespace cox::agent
