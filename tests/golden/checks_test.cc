// Walks all rows of golden_checks.csv: each has a computation, and its result agrees with the row's
// status.
#include "checks.h"

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "report.h"

namespace cox::golden {
namespace {

class GoldenCheck : public ::testing::TestWithParam<Check> {};

double LargestDifference(const Quantity& ours, const Quantity& expected) {
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    largest = std::max(largest, std::abs(ours[i] - expected[i]));
  }
  return largest;
}

TEST_P(GoldenCheck, IsWhatItsStatusSays) {
  const Check& check = GetParam();
  ASSERT_NE(check.compute, nullptr) << "no computation";
  const Quantity ours = check.compute();
  ASSERT_EQ(ours.size(), check.expected.size());
  const double gap = LargestDifference(ours, check.expected);
  if (check.status == Status::kReproduced || check.status == Status::kWithReading) {
    EXPECT_LE(gap, check.tolerance) << check.quantity << ": " << ours[0];
    return;
  }
  // The table has the formula's value to seven digits or six decimals.
  EXPECT_NEAR(ours[0], check.formula_value, 1e-6 * std::max(1.0, std::abs(check.formula_value)));
  if (check.status == Status::kNotReproduced) {
    EXPECT_GT(gap, check.tolerance) << "reproduces after all";
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenCheck, ::testing::ValuesIn(Checks()),
                         [](const ::testing::TestParamInfo<Check>& info) {
                           return absl::StrReplaceAll(info.param.id, {{"-", "_"}, {".", "_"}});
                         });

TEST(GoldenChecks, EveryRowIsComputedAndEveryComputationHasARow) {
  const std::vector<Check> checks = Checks();
  std::set<std::string> rows;
  for (const Check& check : checks) EXPECT_TRUE(rows.insert(check.id).second) << check.id;
  std::set<std::string> computed;
  for (const auto& paper : {C3Computations(), AlphaBetaComputations(), BspComputations(),
                            HyperbolicComputations(), ClusterComputations()}) {
    for (const Computation& computation : paper) computed.insert(std::string(computation.id));
  }
  EXPECT_EQ(rows, computed);
}

// The papers' closed forms, *_forms.h, are what general_path_test.cc compares prices with. A row
// that computed one of them would compare a formula with itself.
TEST(GoldenChecks, NoRowIsComputedFromAClosedForm) {
  for (const char* name : {"alpha_beta", "bsp", "bsp_machines", "c3", "cluster", "hyperbolic"}) {
    for (const char* suffix : {".cc", ".h"}) {
      std::ifstream file(absl::StrCat(COX_SOURCE_DIR, "/tests/golden/", name, suffix));
      std::stringstream text;
      text << file.rdbuf();
      EXPECT_EQ(text.str().find("_forms.h\""), std::string::npos) << name << suffix;
    }
  }
}

TEST(GoldenChecks, WhatDoesNotReproduceIsExplained) {
  for (const Check& check : Checks()) {
    EXPECT_EQ(check.status == Status::kReproduced, ExplanationOf(check.id).empty()) << check.id;
  }
}

// The part before it is `cox validate --markdown`: tests/e2e/cli/validate_test.py.
TEST(ValidationReport, EndsTheOneInTheDocumentation) {
  std::ifstream file(std::string(COX_SOURCE_DIR) + "/docs/validation.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const size_t begin = page.find(std::string(kArithmetic));
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(page.substr(begin), ArithmeticOf(Checks()))
      << "run cox validate --markdown | bin/validation_report";
}

}  // namespace
}  // namespace cox::golden
