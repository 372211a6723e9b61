// The scores of cox validate, the file of what is printed, and its questions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/connection.h"
#include "cli/validate/page.h"
#include "cli/validate/printed.h"
#include "cli/validate/question.h"
#include "cli/validate/scores.h"
#include "fake_daemon.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;

PrintedRow Number(double printed, double tolerance) {
  PrintedRow row;
  row.paper = "001";
  row.role = Role::kMeasurement;
  row.printed = printed;
  row.tolerance = tolerance;
  return row;
}

std::vector<PrintedRow> RankingOf(const std::string& name, const std::vector<double>& printed) {
  std::vector<PrintedRow> rows;
  for (const double value : printed) {
    PrintedRow& row = rows.emplace_back();
    row.paper = "001";
    row.ranking = name;
    row.answer = absl::StrCat("way ", rows.size());
    row.role = Role::kRanking;
    row.printed = value;
  }
  return rows;
}

std::vector<Asked> AskedOf(const std::vector<PrintedRow>& rows, const std::vector<double>& values) {
  std::vector<Asked> asked;
  for (size_t i = 0; i < rows.size(); ++i) asked.push_back({&rows[i], values[i], values[i]});
  return asked;
}

TEST(ValidateScores, AnErrorIsTheSameForTooHighAndTooLow) {
  const PrintedRow row = Number(10, 0.25);
  EXPECT_DOUBLE_EQ(ErrorOfAsked({&row, 12.5}), 0.25);
  EXPECT_DOUBLE_EQ(ErrorOfAsked({&row, 8}), 0.25);
  EXPECT_TRUE(IsWithin({&row, 12.5}));
  EXPECT_FALSE(IsWithin({&row, 7.9}));
  EXPECT_FALSE(IsWithin({&row, 0}));
}

TEST(ValidateScores, TauCountsPairsInTheSameOrder) {
  const std::vector<PrintedRow> rows = RankingOf("sort", {1, 2, 3});
  const auto tau = [&](const std::vector<double>& values) {
    return RankingsOf(AskedOf(rows, values))[0].tau;
  };
  EXPECT_DOUBLE_EQ(tau({5, 6, 7}), 1);
  EXPECT_DOUBLE_EQ(tau({7, 6, 5}), -1);
  EXPECT_DOUBLE_EQ(tau({5, 7, 6}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(tau({5, 5, 6}), 2.0 / 3) << "an equal pair adds nothing";
}

TEST(ValidateScores, EqualBestAnswersAreAHit) {
  const std::vector<PrintedRow> rows = RankingOf("sort", {1, 1, 2});
  const auto ranking = [&](const std::vector<Asked>& asked) { return RankingsOf(asked)[0]; };
  const std::vector<Asked> second = AskedOf(rows, {6, 5, 7});
  EXPECT_TRUE(ranking(second).is_hit);
  EXPECT_EQ(ranking(second).best->row->answer, "way 2");
  const std::vector<Asked> alike = AskedOf(rows, {6, 5, 5});
  EXPECT_TRUE(ranking(alike).is_hit);
  const std::vector<Asked> last = AskedOf(rows, {6, 5, 4});
  EXPECT_FALSE(ranking(last).is_hit);
  EXPECT_EQ(ranking(last).best->row->answer, "way 3");
}

// What a claim rests on: a ranking is judged again without what was fitted for its program.
TEST(ValidateScores, AFittedRankingIsJudgedWithoutItsFitToo) {
  std::vector<PrintedRow> rows = RankingOf("sort", {1, 2});
  for (PrintedRow& row : rows) row.fitted = "hockney.network.alpha=1e-3";
  for (PrintedRow& row : RankingOf("transform", {1, 2})) rows.push_back(row);
  std::vector<Asked> asked = AskedOf(rows, {5, 6, 5, 6});
  asked[0].value_by_machine = 7;
  const std::vector<Ranking> rankings = RankingsOf(asked);
  EXPECT_TRUE(rankings[0].is_hit);
  EXPECT_FALSE(rankings[0].is_hit_by_machine);
  EXPECT_DOUBLE_EQ(rankings[0].tau, 1);
  EXPECT_DOUBLE_EQ(rankings[0].tau_by_machine, -1);
  const PaperScore all = ScoresOf(asked, rankings).back();
  EXPECT_EQ(all.hits, 2);
  EXPECT_EQ(all.hits_by_machine, 1);
  EXPECT_EQ(all.fitted_rankings, 1);
  EXPECT_DOUBLE_EQ(all.mean_tau_by_machine, 0);
  EXPECT_THAT(HeadlineOf(all),
              HasSubstr("2 of 2 rankings, 1 of 2 with the machine's parameters alone"));
  EXPECT_THAT(PageOf(asked), HasSubstr("| `hockney.network.alpha=1e-3` | 1 | 1 | 0 |\n"));
}

TEST(ValidateScores, FitsAndUnaskedRowsJudgeNothing) {
  std::vector<PrintedRow> rows = {Number(10, 0.1), Number(10, 0.1), Number(10, 0.1)};
  rows[1].role = Role::kFit;
  rows[2].role = Role::kUnasked;
  const std::vector<Asked> asked = AskedOf(rows, {10, 99, 99});
  const PaperScore all = ScoresOf(asked, RankingsOf(asked)).back();
  EXPECT_EQ(all.judged, 1);
  EXPECT_EQ(all.within, 1);
  EXPECT_EQ(all.fitted, 1);
  EXPECT_EQ(all.unasked, 1);
  EXPECT_EQ(HeadlineOf(all),
            "printed and asked of the product: 1 of 1 within tolerance; best algorithm: 0 of 0 "
            "rankings, 0 of 0 with the machine's parameters alone");
  EXPECT_THAT(PageOf(asked),
              HasSubstr("# Validation\n\n**printed and asked of the product: 1 of 1"));
}

TEST(ValidatePrinted, AWrongRowIsRefusedWithItsLine) {
  const std::string header =
      "paper,case,answer,role,ask,fitted,over,scale,printed,unit,tolerance,where,note\n";
  const auto error = [&](const std::string& row) {
    return std::string(ParsePrinted(header + row).status().message());
  };
  EXPECT_EQ(error("001,,x,measurement,ask,,,1,2,ms,0.2,here,\n"), "");
  EXPECT_EQ(error("001,,x,guess,ask,,,1,2,ms,0.2,here,\n"),
            "printed.csv:2: the row has an unknown role");
  EXPECT_EQ(error("001,,x,measurement,,,,1,2,ms,0.2,here,\n"),
            "printed.csv:2: the row has no question");
  EXPECT_EQ(error("001,,x,measurement,ask,,,1,2..3,ms,0.2,here,\n"),
            "printed.csv:2: the row has no number");
  EXPECT_EQ(error("001,,x,measurement,ask,,,1,2,ms,,here,\n"),
            "printed.csv:2: the row has no tolerance");
  EXPECT_EQ(error("001,,x,unasked,,,,1,,,,here,\n"), "printed.csv:2: the row does not say why");
  EXPECT_EQ(error("001,,x,ranking,ask,,,1,2,ms,,here,\n"),
            "printed.csv:2: the row has a case, or lacks one");
  EXPECT_EQ(error("001,a,x,ranking,ask,alpha=1e-3,,1,2,ms,,here,\n"), "");
  EXPECT_EQ(error("001,a,x,ranking,ask,alpha=,,1,2,ms,,here,\n"),
            "printed.csv:2: the row has a fitted parameter without a value");
}

// No parameter is fitted to a row that judges: such a row has a question of its own.
TEST(ValidatePrinted, FitsAreNotJudgedAndRankingsHaveAnOrder) {
  const auto rows = ParsePrinted(PrintedText());
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_GT(rows->size(), 250U);
  std::set<std::string> fitted;
  std::map<std::string, std::set<double>> orders;
  std::string ranking;
  std::set<std::string> seen;
  for (const PrintedRow& row : *rows) {
    if (row.role == Role::kFit) fitted.insert(row.ask + ' ' + row.fitted);
    if (row.ranking != ranking) {
      EXPECT_TRUE(row.ranking.empty() || seen.insert(row.ranking).second)
          << row.ranking << ": its rows do not follow each other";
      ranking = row.ranking;
    }
    if (row.role == Role::kRanking) orders[row.ranking].insert(row.printed);
  }
  for (const PrintedRow& row : *rows) {
    if (row.role == Role::kFit || row.role == Role::kUnasked) continue;
    EXPECT_EQ(fitted.count(row.ask + ' ' + row.fitted), 0U) << row.ask;
  }
  for (const auto& [name, order] : orders) EXPECT_GE(order.size(), 2U) << name;
}

// A ratio of two parameters that a profile holds checks that profile: it is no answer of a model.
TEST(ValidatePrinted, RatiosOfParametersAreDerived) {
  const auto rows = ParsePrinted(PrintedText());
  ASSERT_TRUE(rows.ok());
  int ratios = 0;
  for (const PrintedRow& row : *rows) {
    if (row.where != "Table I") continue;
    ++ratios;
    EXPECT_EQ(row.role, Role::kDerived) << row.answer;
  }
  EXPECT_EQ(ratios, 5);
}

// The alphas of programs are what their fitted rows say.
TEST(ValidatePrinted, FitsFollowFromTheirRows) {
  const double beta = 49.1e-9;
  const double radix = ((1.39 - 0.57) / 4 - (233 - 127) * 64 * beta) / 106.4;
  const double fft = 108.9e-3 / 255 - 640 * beta;
  const double neighbours = 4650 * beta;
  const auto rows = ParsePrinted(PrintedText());
  ASSERT_TRUE(rows.ok());
  const auto alpha_of = [&](const char* answer) {
    for (const PrintedRow& row : *rows) {
      const size_t at = row.fitted.find("alpha=");
      if (at != std::string::npos && absl::StrContains(row.ranking + row.answer, answer)) {
        return std::stod(row.fitted.substr(at + 6));
      }
    }
    return 0.0;
  };
  EXPECT_NEAR(alpha_of("radix sort"), radix, 0.01 * radix);
  EXPECT_NEAR(alpha_of("3-D FFT"), fft, 0.01 * fft);
  EXPECT_NEAR(alpha_of("neighbours"), neighbours, 0.01 * neighbours);
}

TEST(ValidateQuestion, AnUnknownVerbIsRefused) {
  const FakeDaemon daemon;
  Connection connection(daemon.address(), 5);
  EXPECT_EQ(Ask("guess m=x", connection).status().message(), "\"guess m=x\": unknown verb");
  const auto refused = Ask("predict m=x c=bcast p=2 b=1", connection);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("\"predict m=x c=bcast p=2 b=1\""));
}

}  // namespace
}  // namespace cox::cli
