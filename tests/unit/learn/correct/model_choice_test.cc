#include "learn/correct/model_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "domain/cell_key.h"
#include "domain/level.h"
#include "domain/profile.h"
#include "domain/shape.h"
#include "learn/fallback_parameters.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

using domain::Level;

// Stated parameters of Hockney and LogGP; LogGP is twice as slow.
domain::Profile TwoChoices() {
  domain::Profile profile = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  for (const auto& [level, half_start_s, byte_s] :
       {std::tuple(Level::kNode, 5e-7, 2e-10), std::tuple(Level::kNetwork, 3e-6, 8e-10)}) {
    profile.Set(MakeParameter("loggp", level, "L", 0));
    profile.Set(MakeParameter("loggp", level, "o", half_start_s));
    profile.Set(MakeParameter("loggp", level, "G", byte_s));
  }
  return profile;
}

std::vector<PreparedCell> Prepared(const std::vector<Cell>& cells) {
  static const domain::Shape kShape;
  return PrepareCells(cells, kShape);
}

TEST(ModelChoiceTest, WithoutCellsThePreferredOneIsSelected) {
  const auto ranked = RankModels(TwoChoices(), {});
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].model->id(), "loggp");
  EXPECT_EQ(ranked[0].cell_count, 0);
}

TEST(ModelChoiceTest, TheModelThatMadeTheTimesIsSelected) {
  Noise noise(3, 0.05);
  const std::vector<Cell> cells = PricedCells(TwoChoices(), noise, "hockney");
  const auto ranked = RankModels(TwoChoices(), Prepared(cells));
  EXPECT_EQ(ranked[0].model->id(), "hockney");
  EXPECT_LT(ranked[0].median_error, 0.1);
  EXPECT_GT(ranked[1].median_error, ranked[0].median_error);
}

// Times between the two models' prices, a little nearer to the less preferred one.
TEST(ModelChoiceTest, AFewCellsMustClearlyContradictThePreferredOne) {
  const domain::Profile profile = TwoChoices();
  const auto ranked_by = [&](int copies) {
    std::vector<Cell> cells;
    for (int i = 0; i < copies; ++i) {
      for (int64_t bytes : {64, 65536}) {
        Cell cell = MakeCell("alltoall", "pairwise", 4, 1, bytes << (i % 4), 1);
        const double mean = (0.53 * std::log(PriceOf(cell, profile, "hockney")) +
                             0.47 * std::log(PriceOf(cell, profile, "loggp")));
        cell.mean_log_time = mean;
        cells.push_back(cell);
      }
    }
    return RankModels(profile, Prepared(cells))[0].model->id();
  };
  EXPECT_EQ(ranked_by(1), "loggp");
  EXPECT_EQ(ranked_by(200), "hockney");
}

// Two timings selected max-rate, whose node level was a copy, instead of the Hockney model that was
// imported.
TEST(ModelChoiceTest, AModelThatAssumesALevelComesLast) {
  domain::Profile profile = TwoChoices();
  std::erase_if(profile.parameters, [](const domain::Parameter& one) {
    return one.model == "loggp" && one.level == Level::kNode;
  });
  std::vector<std::string> warnings;
  CopyMissingLevels(&profile, &warnings);
  EXPECT_EQ(RankModels(profile, {})[0].model->id(), "hockney");
  // Where both assume one, the usual order holds.
  std::erase_if(profile.parameters,
                [](const domain::Parameter& one) { return one.level == Level::kNode; });
  CopyMissingLevels(&profile, &warnings);
  EXPECT_EQ(RankModels(profile, {})[0].model->id(), "loggp");
}

TEST(ModelErrorsTest, AreThePapersMetric) {
  const domain::Profile profile = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  Cell slow = MakeCell("alltoall", "pairwise", 4, 1, 4096, 1);
  slow.mean_log_time = std::log(PriceOf(slow, profile) * 3);
  Cell fast = slow;
  fast.mean_log_time = std::log(PriceOf(slow, profile) / 3);
  const std::vector<Cell> cells = {slow, fast};
  const ModelErrors measured = MeasureErrors(profile, Prepared(cells));
  ASSERT_EQ(measured.models.size(), 1U);
  ASSERT_EQ(measured.errors.size(), 2U);
  // |T_m - T_p| / min(T_m, T_p): too slow by a factor is as wrong as too fast.
  EXPECT_NEAR(measured.At(0, 0), 2, 1e-9);
  EXPECT_NEAR(measured.At(1, 0), 2, 1e-9);
}

// Calls that a benchmark and jobs timed, alternately; jobs took twice as long as priced.
std::vector<Cell> AlternatingKinds(int calls, const domain::Profile& profile) {
  std::vector<Cell> cells;
  for (int i = 0; i < calls; ++i) {
    Cell cell = MakeCell("alltoall", "pairwise", 4, 1, 8 * (i + 1), 1);
    cell.mean_log_time = std::log(PriceOf(cell, profile));
    cells.push_back(cell);
    cell.kind = domain::CellKind::kJob;
    cell.mean_log_time += std::log(2.0);
    cells.push_back(cell);
  }
  return cells;
}

TEST(ModelErrorsTest, OfManyCellsThoseOfEachKindCount) {
  const domain::Profile profile = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  constexpr int kCalls = 1500;
  const std::vector<Cell> cells = AlternatingKinds(kCalls, profile);
  const ModelErrors measured = MeasureErrors(profile, Prepared(cells));
  ASSERT_EQ(measured.cells.size(), 2000U);
  EXPECT_TRUE(std::is_sorted(measured.cells.begin(), measured.cells.end()));
  const auto of_jobs = std::count_if(measured.cells.begin(), measured.cells.end(),
                                     [](size_t cell) { return cell % 2 == 1; });
  EXPECT_NEAR(static_cast<double>(of_jobs), 1000, 100);
  for (size_t i = 0; i < measured.cells.size(); ++i) {
    EXPECT_NEAR(measured.At(i, 0), measured.cells[i] % 2 == 1 ? 1 : 0, 1e-9);
  }
}

TEST(ModelErrorsTest, TheSameCellsCountInEveryOrder) {
  const domain::Profile profile = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  std::vector<Cell> cells = AlternatingKinds(1500, profile);
  const std::vector<size_t> ascending = MeasureErrors(profile, Prepared(cells)).cells;
  std::reverse(cells.begin(), cells.end());
  std::vector<size_t> reversed = MeasureErrors(profile, Prepared(cells)).cells;
  for (size_t& cell : reversed) cell = cells.size() - 1 - cell;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(reversed, ascending);
}

}  // namespace
}  // namespace cox::learn
