#include "learn/correct/behind.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "domain/cell_key.h"
#include "domain/shape.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

class BehindTest : public ::testing::Test {
 protected:
  // One rank per node. `time` over that of the default, which takes 1 s.
  void Time(int64_t ranks, int64_t block_bytes, double time_s,
            domain::CellKind kind = domain::CellKind::kBenchmark, int64_t ppn = 1) {
    for (const auto& [algorithm, takes_s] :
         {std::pair("default", 1.0), std::pair("ring", time_s)}) {
      Cell cell = MakeCell("allgather", algorithm, ranks / ppn, ppn, block_bytes, takes_s);
      cell.library = "somebodys-mpi-1.0";
      cell.kind = kind;
      cells_.push_back(cell);
    }
  }
  int64_t At(int64_t block_bytes, const std::string& algorithm = "ring") const {
    const domain::Shape shape;
    const auto behind = FindBehind(PrepareCells(cells_, shape));
    const auto found = behind.find({"somebodys-mpi-1.0", "allgather"});
    return found == behind.end() ? 0 : found->second.At(algorithm, block_bytes);
  }

  std::vector<Cell> cells_;
};

TEST_F(BehindTest, TheMostRanksCount) {
  EXPECT_EQ(At(64), 0);
  Time(8, 64, 1.5);
  EXPECT_EQ(At(64), 8);
  EXPECT_EQ(At(65), 0) << "other sizes say nothing";
  EXPECT_EQ(At(64, "linear"), 0);
  Time(4, 64, 0.5);
  EXPECT_EQ(At(64), 8);
  Time(16, 64, 0.9);
  EXPECT_EQ(At(64), 0) << "it was faster there";
  Time(32, 64, 1.01);
  EXPECT_EQ(At(64), 0) << "within the tolerance";
  Time(64, 64, 1.1);
  EXPECT_EQ(At(64), 64);
}

TEST_F(BehindTest, MustBeBehindInAllCallsOfTheMostRanks) {
  Time(8, 64, 1.5);
  Time(8, 64, 0.9, domain::CellKind::kBenchmark, 2);
  EXPECT_EQ(At(64), 0);
}

TEST_F(BehindTest, ComparesWhatWasTimedInTheSameWay) {
  Time(8, 64, 1.5);
  cells_[0].kind = domain::CellKind::kJob;
  EXPECT_EQ(At(64), 0);
}

}  // namespace
}  // namespace cox::learn
