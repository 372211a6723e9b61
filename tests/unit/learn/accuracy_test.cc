#include "learn/accuracy.h"

#include <gtest/gtest.h>

#include "domain/level.h"
#include "domain/profile.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

using domain::Level;

// Hockney, and BPRAM three times as slow as Hockney's network.
domain::Profile TwoModels() {
  domain::Profile profile = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  profile.Set(MakeParameter("bpram", Level::kNetwork, "ell", 9e-6));
  profile.Set(MakeParameter("bpram", Level::kNetwork, "sigma", 1.2e-9));
  return profile;
}

// allgather takes BPRAM's price, every other collective Hockney's.
std::vector<Cell> MadeBy(const domain::Profile& profile) {
  Noise noise(5, 0.02);
  std::vector<Cell> cells = PricedCells(profile, noise);
  for (Cell& cell : cells) {
    if (cell.collective != "allgather") continue;
    cell.mean_log_time = std::log(noise(PriceOf(cell, profile, "bpram")));
  }
  return cells;
}

const ErrorSummary& Of(const Accuracy& accuracy, const AccuracyRow& row, absl::string_view model) {
  size_t m = 0;
  while (accuracy.models()[m]->id() != model) ++m;
  return row.models[m];
}

Accuracy Measure(const domain::Profile& profile, const std::vector<Cell>& cells) {
  return {profile, cells, *BuildCorrections(profile, cells)};
}

TEST(AccuracyTest, RowsAreByCollectiveWithAllOfThemFirst) {
  const std::vector<Cell> cells = MadeBy(TwoModels());
  const Accuracy accuracy = Measure(TwoModels(), cells);
  const std::vector<AccuracyRow> rows = accuracy.Rows({});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].collective, "");
  EXPECT_EQ(Of(accuracy, rows[0], "hockney").cell_count, static_cast<int64_t>(cells.size()));
  EXPECT_EQ(rows[1].collective, "allgather");
  EXPECT_LT(Of(accuracy, rows[1], "bpram").median, 0.05);
  EXPECT_EQ(accuracy.models()[rows[1].best]->id(), "bpram");
  EXPECT_EQ(rows[2].collective, "allreduce");
  EXPECT_LT(Of(accuracy, rows[2], "hockney").largest, 0.15);
  EXPECT_EQ(accuracy.models()[rows[2].best]->id(), "hockney");
  for (const AccuracyRow& row : rows) {
    for (const ErrorSummary& model : row.models) {
      EXPECT_LE(model.median, model.ninetieth);
      EXPECT_LE(model.ninetieth, model.largest);
    }
    // Corrected by the others, each place is known well: the noise is 2 %.
    EXPECT_GT(row.corrected.cell_count, 0);
    EXPECT_LT(row.corrected.median, 0.5);
  }
}

TEST(AccuracyTest, TheBestOfACollectiveIsSelectedWhereItIsClear) {
  const std::vector<Cell> cells = MadeBy(TwoModels());
  const Accuracy accuracy = Measure(TwoModels(), cells);
  EXPECT_EQ(accuracy.SelectedFor("alltoall")->id(), "hockney");
  EXPECT_EQ(accuracy.SelectedFor("allgather")->id(), "bpram");
  EXPECT_EQ(accuracy.SelectedFor("scan")->id(), "hockney");  // never observed
}

TEST(AccuracyTest, AFewCellsOfACollectiveSelectNoModel) {
  const domain::Profile profile = TwoModels();
  const auto selected_with = [&](int count) {
    std::vector<Cell> cells = PricedCells(profile, *std::make_unique<Noise>(6, 0.02));
    std::erase_if(cells, [](const Cell& cell) { return cell.collective == "allgather"; });
    for (int i = 0; i < count; ++i) {
      // Between the two models' prices, nearer to BPRAM.
      Cell cell = MakeCell("allgather", "ring", 8, 1, 100 + i, 1);
      cell.mean_log_time =
          0.4 * std::log(PriceOf(cell, profile)) + 0.6 * std::log(PriceOf(cell, profile, "bpram"));
      cells.push_back(std::move(cell));
    }
    return std::string(Measure(profile, cells).SelectedFor("allgather")->id());
  };
  EXPECT_EQ(selected_with(2), "hockney");
  EXPECT_EQ(selected_with(90), "bpram");
}

TEST(AccuracyTest, RowsBySizeAndLibraryHoldEachCellOnce) {
  std::vector<Cell> cells = MadeBy(TwoModels());
  for (size_t i = 0; i < cells.size(); i += 2) cells[i].library = "mpich-4.0";
  const Accuracy accuracy = Measure(TwoModels(), cells);
  Accuracy::Question question;
  question.by_size = true;
  question.by_library = true;
  int64_t all = 0;
  int64_t sum = 0;
  for (const AccuracyRow& row : accuracy.Rows(question)) {
    const int64_t count = row.models.front().cell_count;
    (row.collective.empty() ? all : sum) += count;
    if (row.collective.empty()) continue;
    EXPECT_FALSE(row.library.empty());
    EXPECT_TRUE(row.sizes.to_bytes > row.sizes.from_bytes || row.sizes.to_bytes == 0);
  }
  EXPECT_EQ(sum, all);
  EXPECT_GT(all, 0);

  question.library = "mpich-4.0";
  int64_t of_one = 0;
  for (const AccuracyRow& row : accuracy.Rows(question)) {
    EXPECT_EQ(row.library, "mpich-4.0");
    if (row.collective.empty()) of_one = row.models.front().cell_count;
  }
  EXPECT_GT(of_one, 0);
  EXPECT_LT(of_one, all);
}

TEST(AccuracyTest, SaysWhichParameterIsMissing) {
  const Accuracy accuracy = Measure(TwoModels(), {});
  EXPECT_TRUE(accuracy.Rows({}).empty());
  bool found = false;
  for (const UnpricedModel& unpriced : accuracy.unpriced()) {
    EXPECT_NE(unpriced.model->id(), "hockney");
    if (unpriced.model->id() != "bsp") continue;
    found = true;
    EXPECT_NE(unpriced.reason.find("network.g"), std::string::npos) << unpriced.reason;
  }
  EXPECT_TRUE(found);
}

TEST(AccuracyTest, CellsWithoutStructureAreCounted) {
  const std::vector<Cell> cells = {MakeCell("bcast", "scatter_allgather", 3, 2, 64, 1e-5),
                                   MakeCell("alltoall", "pairwise", 2, 2, 64, 1e-5)};
  const Accuracy accuracy = Measure(TwoModels(), cells);
  EXPECT_EQ(accuracy.unstructured_count(), 1);
  EXPECT_EQ(Of(accuracy, accuracy.Rows({}).front(), "hockney").cell_count, 1);
}

TEST(AccuracyTest, SizeClassesCoverEverySize) {
  int64_t reached = 0;
  for (const SizeClass& sizes : SizeClasses()) {
    EXPECT_EQ(sizes.from_bytes, reached);
    reached = sizes.to_bytes;
  }
  EXPECT_EQ(reached, 0);
}

TEST(AccuracyTest, EndsWhenItsCallerHasGone) {
  const domain::Profile profile = TwoModels();
  const Accuracy accuracy = Measure(profile, MadeBy(profile));
  int asked = 0;
  const auto rows = accuracy.Rows({}, [&asked] { return ++asked == 2; });
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace cox::learn
