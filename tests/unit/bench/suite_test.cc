#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/options.h"
#include "bench/suite/outcome.h"
#include "bench/suite/plan.h"
#include "bench/suite/report.h"

namespace cox::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kLine[] =
    "program=bitonic-sort ranks=8 size=64 degree=8 variant= algorithm=mpi time_s=3e-3 "
    "communication_s=1e-3 exchange_s=4e-4 exchanges=2 work_s=2e-3 right=yes\n";

ParseOutcome Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "cox-bench");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data(), "mpich-4.0", "here");
}

TEST(SuiteOptionsTest, ReadsThem) {
  const ParseOutcome outcome = Parse({"suite", "-m", "here", "-p", "4", "--models", "bsp,bpram"});
  ASSERT_TRUE(outcome.options.has_value()) << outcome.err;
  EXPECT_EQ(outcome.options->mode, Options::Mode::kSuite);
  EXPECT_EQ(outcome.options->suite.mpi, "mpich");
  EXPECT_EQ(outcome.options->suite.ranks, 4);
  EXPECT_THAT(outcome.options->suite.models, ElementsAre("bsp", "bpram"));
}

TEST(SuiteOptionsTest, RefusesNamingTheOption) {
  for (const auto& [arguments, named] :
       std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{"suite"}, "--machine"},
           {{"suite", "-m", "here", "-p", "1"}, "--ranks"},
           {{"suite", "-m", "here", "--repeats", "0"}, "--repeats"}}) {
    const ParseOutcome outcome = Parse(arguments);
    EXPECT_FALSE(outcome.options.has_value());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(named));
  }
}

TEST(SuitePlanTest, TakesOnlyRanksAndSizesThatComeOutEven) {
  for (const int64_t ranks : {2, 3, 5, 8, 12, 17, 64, 100}) {
    for (const Experiment& experiment : PlanSuite(ranks, false, {})) {
      EXPECT_LE(experiment.ranks, ranks) << experiment.program;
      EXPECT_GE(experiment.ranks, 2) << experiment.program;
      EXPECT_LE(experiment.degree, experiment.ranks) << experiment.program;
      if (!experiment.kernel.empty() && experiment.program != "matmul" &&
          experiment.program != "multigrid") {
        EXPECT_EQ(experiment.size % experiment.ranks, 0) << experiment.program;
      }
    }
  }
  const std::vector<Experiment> matmul = PlanSuite(30, true, {"matmul"});
  ASSERT_EQ(matmul.size(), 3U);
  EXPECT_EQ(matmul[0].ranks, 27);
  EXPECT_EQ(matmul[0].size, 36);
  EXPECT_EQ(matmul[2].kernel, "matmul-cannon");
  EXPECT_EQ(matmul[2].ranks, 25);
  EXPECT_EQ(matmul[2].size, 50);
  const std::vector<Experiment> no_cube = PlanSuite(7, true, {"matmul"});
  ASSERT_EQ(no_cube.size(), 1U);
  EXPECT_EQ(no_cube[0].variant, "cannon");
  EXPECT_THAT(PlanSuite(3, true, {"matmul"}), IsEmpty());
  EXPECT_THAT(PlanSuite(8, true, {"no-such"}), IsEmpty());
}

TEST(SuitePlanTest, KnowsItsPrograms) {
  EXPECT_THAT(ProgramNames(), ElementsAre("matmul", "bitonic-sort", "sample-sort", "apsp",
                                          "multigrid", "neighbours", "radix-sort", "fft3d", "pme"));
}

TEST(SuiteOutcomeTest, ReadsWhatAnExamplePrints) {
  const auto measurements = ParseMeasurements(std::string("a warning\n") + kLine);
  ASSERT_TRUE(measurements.ok()) << measurements.status();
  ASSERT_EQ(measurements->size(), 1U);
  const Measurement& measurement = measurements->front();
  EXPECT_EQ(measurement.algorithm, "mpi");
  EXPECT_DOUBLE_EQ(measurement.time_s, 3e-3);
  EXPECT_DOUBLE_EQ(measurement.communication_s, 1e-3);
  EXPECT_DOUBLE_EQ(measurement.work_s, 2e-3);
  EXPECT_DOUBLE_EQ(measurement.exchange_s, 4e-4);
  EXPECT_EQ(measurement.exchanges, 2);
}

TEST(SuiteOutcomeTest, RefusesNothingHalvesAndWrongResults) {
  EXPECT_TRUE(absl::IsInvalidArgument(ParseMeasurements("").status()));
  EXPECT_THAT(ParseMeasurements("program=x time_s=1").status().message(),
              HasSubstr("communication_s"));
  std::string wrong = kLine;
  wrong.replace(wrong.find("right=yes"), 9, "right=no");
  EXPECT_TRUE(absl::IsFailedPrecondition(ParseMeasurements(wrong).status()));
}

TEST(SuiteOutcomeTest, ReadsAForecastWithoutItsLocalWork) {
  const auto forecast = ParseForecast(R"({"responses": [{"predictions": [
      {"strategy": "x", "model": "bsp", "time_s": 5e-3, "units": 0,
       "terms": [{"name": "compute", "time_s": 4e-3}, {"name": "sync", "time_s": 1e-3}]},
      {"strategy": "x", "model": "c3", "time_s": 0, "units": 7}],
      "operation_count": 1000}]})",
                                      true);
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  EXPECT_DOUBLE_EQ(forecast->operations, 1000);
  ASSERT_EQ(forecast->communication_s.at("").size(), 1U);
  EXPECT_DOUBLE_EQ(forecast->communication_s.at("").at("bsp"), 1e-3);
  EXPECT_TRUE(absl::IsInvalidArgument(ParseForecast("not JSON", true).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseForecast("[]", true).status()));
}

Outcome Sort(bool communication_only) {
  Outcome outcome;
  outcome.experiment = {"bitonic-sort", "", "bitonic-sort", 8, communication_only, 8, 64, 0, "mpi"};
  outcome.measurements = *ParseMeasurements(kLine);
  outcome.forecast.communication_s[""]["bsp"] = 4e-3;
  return outcome;
}

TEST(SuiteOutcomeTest, ComparesTheWholeTimeOrTheCommunication) {
  Comparison comparison;
  const Outcome whole = Sort(false);
  ASSERT_TRUE(Compare(whole, whole.measurements[0], "bsp", &comparison));
  EXPECT_DOUBLE_EQ(comparison.measured_s, 3e-3);
  EXPECT_DOUBLE_EQ(comparison.predicted_s, 6e-3);  // with the measured work
  const Outcome communication = Sort(true);
  ASSERT_TRUE(Compare(communication, communication.measurements[0], "bsp", &comparison));
  EXPECT_DOUBLE_EQ(comparison.measured_s, 1e-3);
  EXPECT_DOUBLE_EQ(comparison.predicted_s, 4e-3);
  EXPECT_FALSE(Compare(whole, whole.measurements[0], "c3", &comparison));
}

TEST(SuiteOutcomeTest, ComparesOneExchangeByItsOwnRoute) {
  Outcome outcome = Sort(true);
  outcome.experiment.kernel = "";
  outcome.forecast.communication_s = {{"mesh2d", {{"hockney", 1e-4}}}};
  Comparison comparison;
  EXPECT_FALSE(Compare(outcome, outcome.measurements[0], "hockney", &comparison));
  outcome.measurements[0].algorithm = "mesh2d";
  ASSERT_TRUE(Compare(outcome, outcome.measurements[0], "hockney", &comparison));
  EXPECT_DOUBLE_EQ(comparison.measured_s, 2e-4);
  EXPECT_DOUBLE_EQ(comparison.predicted_s, 1e-4);
}

TEST(SuiteReportTest, ShowsTheLargestErrorOfEachModel) {
  std::vector<Outcome> outcomes = {Sort(false), Sort(false)};
  outcomes[1].forecast.communication_s[""]["bsp"] = 1e-3;  // right
  const std::vector<std::string> models = ModelsOf(outcomes, {"bpram", "bsp"});
  EXPECT_THAT(models, ElementsAre("bsp"));
  std::ostringstream out;
  PrintTables(outcomes, models, out);
  EXPECT_THAT(out.str(), HasSubstr("bitonic-sort  100 %\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("EXCHANGE")));
}

TEST(SuiteReportTest, WritesARowForEachPrediction) {
  const std::string csv = CsvOf({Sort(true)});
  EXPECT_THAT(csv, HasSubstr("\nbitonic-sort,bitonic-sort,,mpi,8,64,0,0.003,0.001,0.002,4e-04,2,0,"
                             "bsp,0.001,0.004,3\n"));
}

}  // namespace
}  // namespace cox::bench
