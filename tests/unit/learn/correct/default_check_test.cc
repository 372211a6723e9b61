#include "learn/correct/default_check.h"

#include <gtest/gtest.h>

#include <vector>

#include "domain/shape.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

// Times of linear, Open MPI's default for 32 ranks and these sizes, and of the default, which are
// `factor` times as long at `off_count` of twenty places.
std::vector<Cell> Observed(double factor, int off_count) {
  std::vector<Cell> cells;
  for (int i = 0; i < 20; ++i) {
    const int64_t bytes = 1024 + 100 * i;
    cells.push_back(MakeCell("alltoall", "linear", 8, 4, bytes, 1e-4));
    cells.push_back(
        MakeCell("alltoall", "default", 8, 4, bytes, i < off_count ? factor * 1e-4 : 1.1e-4));
  }
  return cells;
}

int StructuredDefaults(const std::vector<Cell>& cells) {
  std::vector<PreparedCell> prepared = PrepareCells(cells, domain::Shape());
  DropContradictedDefaults(&prepared);
  int count = 0;
  for (const PreparedCell& cell : prepared) {
    const bool is_default = cell.algorithm == kDefaultAlgorithm;
    if (is_default && cell.strategy != nullptr) ++count;
    if (!is_default) {
      EXPECT_NE(cell.strategy, nullptr);
    }
  }
  return count;
}

TEST(DefaultCheckTest, OneInTenMayDisagree) {
  EXPECT_EQ(StructuredDefaults(Observed(2, 0)), 20);
  EXPECT_EQ(StructuredDefaults(Observed(2, 2)), 20);
  EXPECT_EQ(StructuredDefaults(Observed(2, 3)), 0);
  EXPECT_EQ(StructuredDefaults(Observed(0.5, 3)), 0);
}

TEST(DefaultCheckTest, TimesThatScatterContradictNothing) {
  std::vector<Cell> cells = Observed(2, 20);
  for (Cell& cell : cells) cell.variance_log_time = 0.5 * 0.5;
  EXPECT_EQ(StructuredDefaults(cells), 20);
}

TEST(DefaultCheckTest, NothingToCompareWithIsNoContradiction) {
  std::vector<Cell> cells = Observed(5, 20);
  std::erase_if(cells, [](const Cell& cell) { return cell.algorithm == "linear"; });
  EXPECT_EQ(StructuredDefaults(cells), 20);
  // Another place says nothing, nor does another algorithm.
  Cell elsewhere = MakeCell("alltoall", "linear", 8, 4, 1025, 1e-4);
  Cell other = MakeCell("alltoall", "pairwise", 8, 4, 1024, 1e-4);
  cells.insert(cells.end(), {elsewhere, other});
  EXPECT_EQ(StructuredDefaults(cells), 20);
  std::vector<PreparedCell> none;
  DropContradictedDefaults(&none);
  EXPECT_TRUE(none.empty());
}

TEST(DefaultCheckTest, AFallbackIsComparedWithWhatRan) {
  // 7 ranks: the default chooses recursive doubling, and both run bruck.
  std::vector<Cell> cells = {MakeCell("allgather", "bruck", 7, 1, 64, 1e-5),
                             MakeCell("allgather", "default", 7, 1, 64, 1e-5)};
  EXPECT_EQ(StructuredDefaults(cells), 1);
  cells[1].mean_log_time += 1;
  EXPECT_EQ(StructuredDefaults(cells), 0);
}

TEST(DefaultCheckTest, CollectivesAreJudgedApart) {
  std::vector<Cell> cells = Observed(2, 20);
  cells.push_back(MakeCell("allgather", "bruck", 7, 1, 64, 1e-5));
  cells.push_back(MakeCell("allgather", "default", 7, 1, 64, 1e-5));
  EXPECT_EQ(StructuredDefaults(cells), 1);
}

}  // namespace
}  // namespace cox::learn
