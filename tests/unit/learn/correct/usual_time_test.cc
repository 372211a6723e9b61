#include "learn/correct/borrow/usual_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "domain/shape.h"
#include "learn/prepared_cells.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

UsualTime Fit(const std::vector<Cell>& cells) {
  const domain::Shape shape;
  return UsualTime(PrepareCells(cells, shape));
}

// Broadcasts and alltoalls on a machine with this latency and byte time.
std::vector<Cell> CellsOf(double latency_s, double byte_s, double factor = 1) {
  std::vector<Cell> cells;
  for (const int64_t nodes : {2, 8, 32}) {
    for (const int64_t bytes : {8, 512, 32768, 1 << 20}) {
      const auto size = static_cast<double>(bytes);
      const double steps_s = latency_s * std::log2(static_cast<double>(nodes));
      cells.push_back(MakeCell("bcast", "a", nodes, 1, bytes, factor * (steps_s + byte_s * size)));
      cells.push_back(MakeCell("alltoall", "b", nodes, 1, bytes,
                               (steps_s + byte_s * size * static_cast<double>(nodes)) / factor));
    }
  }
  return cells;
}

TEST(UsualTimeTest, FindsAMachinesLatencyAndByteTime) {
  for (const double factor : {1.0, 1.5}) {
    const UsualTime usual = Fit(CellsOf(5e-5, 1e-8, factor));
    EXPECT_NEAR(usual.latency_s() / 5e-5, 1, 0.3) << factor;
    EXPECT_NEAR(usual.byte_s() / 1e-8, 1, 0.3) << factor;
  }
}

TEST(UsualTimeTest, FewCellsLeaveItNearMostMachines) {
  const UsualTime most;
  // One large block says nothing about the latency.
  const UsualTime usual = Fit({MakeCell("bcast", "a", 8, 1, 1 << 20, 1e-1)});
  EXPECT_NEAR(usual.latency_s() / most.latency_s(), 1, 0.1);
  EXPECT_GT(usual.byte_s(), 10 * most.byte_s());
  EXPECT_DOUBLE_EQ(Fit({}).latency_s(), most.latency_s());
}

TEST(UsualTimeTest, BlocksForEveryRankCountOftenerThanOneVector) {
  const UsualTime usual;
  const Point point{16, 4, 64, 1 << 20};
  EXPECT_NEAR(usual.At("alltoall", point) / usual.At("bcast", point), 64, 3);
  EXPECT_EQ(usual.At("neighbor_alltoall", point), usual.At("bcast", point));
  EXPECT_GT(usual.At("barrier", {1, 1, 1, 0}), 0);
}

TEST(UsualTimeTest, OneWildTimeMovesItLittle) {
  std::vector<Cell> cells = CellsOf(5e-5, 1e-8);
  cells.push_back(MakeCell("bcast", "a", 8, 1, 64, 1e3));
  const UsualTime usual = Fit(cells);
  EXPECT_NEAR(usual.latency_s() / 5e-5, 1, 0.5);
}

}  // namespace
}  // namespace cox::learn
