#include "cli/output/prediction_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "absl/strings/str_cat.h"
#include "console/csv.h"
#include "folder.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Prediction Make(const char* strategy, const char* model, double time_s, double units = 0) {
  v1::Prediction prediction;
  prediction.set_strategy(strategy);
  prediction.set_model(model);
  prediction.set_time_s(time_s);
  prediction.set_units(units);
  if (time_s > 0) {
    v1::CostTerm* term = prediction.add_terms();
    term->set_name("link congestion");
    term->set_time_s(time_s);
  }
  return prediction;
}

PredictionSheet Empty() {
  return PredictionSheet({"alltoall on m", "strategy", "block_bytes", "bytes of a block"});
}

std::string Printed(const PredictionSheet& sheet) {
  std::ostringstream out;
  sheet.Print(out);
  return out.str();
}

TEST(PredictionSheetTest, OnePointUnderSeveralModelsIsAMatrixWithTheSpread) {
  PredictionSheet sheet = Empty();
  sheet.Add(64, 1024, Make("alltoall/linear", "hockney", 1e-6));
  sheet.Add(64, 1024, Make("alltoall/linear", "loggp", 4e-6));
  sheet.Add(64, 1024, Make("alltoall/linear", "c3", 0, 128));
  sheet.Add(64, 1024, Make("alltoall/bruck", "hockney", 2e-6));
  const std::string text = Printed(sheet);
  EXPECT_THAT(text, HasSubstr("alltoall on m, 64 ranks, 1 KiB"));
  EXPECT_THAT(text, HasSubstr("MAX/MIN"));
  EXPECT_THAT(text, HasSubstr("128 units"));
  EXPECT_THAT(text,
              ::testing::ContainsRegex("alltoall/linear .*1.000 µs .*4.000 µs .*128 units  *4\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("alltoall/bruck .*2.000 µs .*-  *-  *-\n"));
}

TEST(PredictionSheetTest, ASweepIsRows) {
  PredictionSheet sheet = Empty();
  sheet.Add(64, 8, Make("alltoall/linear", "hockney", 1e-6));
  sheet.Add(64, 16, Make("alltoall/linear", "hockney", 2e-6));
  const std::string text = Printed(sheet);
  EXPECT_THAT(text, HasSubstr("TERMS"));
  EXPECT_THAT(text, HasSubstr("16 B"));
  EXPECT_THAT(text, HasSubstr("link congestion 2.000 µs"));
  EXPECT_THAT(text, Not(HasSubstr("MAX/MIN")));
}

TEST(PredictionSheetTest, ACaveatIsSaidOnce) {
  PredictionSheet sheet = Empty();
  for (const int64_t size : {8, 16, 32}) {
    v1::Prediction prediction = Make("alltoall/linear", "c3", 0, 5);
    prediction.set_caveat("counted in units");
    sheet.Add(64, size, prediction);
    sheet.Add(64, size, Make("alltoall/bruck", "c3", 0, 6));
  }
  const std::string text = Printed(sheet);
  const size_t at = text.find("note: c3, alltoall/linear: counted in units\n");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find("counted in units", at + 40), std::string::npos);
}

TEST(PredictionSheetTest, CaveatsThatDifferInNumbersAreOneOfEachStrategy) {
  PredictionSheet sheet = Empty();
  for (const char* count : {"8", "4096", "4.1943e+06", "1.5"}) {
    for (const char* strategy : {"alltoall/linear", "alltoall/bruck"}) {
      v1::Prediction prediction = Make(strategy, "c3", 0, 5);
      const char* what = strategy[9] == 'l' ? " of a link" : " of a rank";
      prediction.set_caveat(absl::StrCat("without ", count, " operations", what));
      sheet.Add(64, 8, prediction);
    }
  }
  const std::string text = Printed(sheet);
  EXPECT_THAT(text, HasSubstr("note: c3, alltoall/linear: without 8 operations of a link (with "
                              "other numbers at other points)\n"));
  EXPECT_THAT(text, HasSubstr("alltoall/bruck: without 8 operations of a rank (with"));
  EXPECT_THAT(text, Not(HasSubstr("4096")));
}

TEST(PredictionSheetTest, CsvReadsBack) {
  PredictionSheet sheet = Empty();
  v1::Prediction prediction = Make("alltoall/linear", "hockney", 0.1);
  prediction.set_caveat("with \"care\", please");
  sheet.Add(64, 8, prediction);
  sheet.Add(64, 16, Make("alltoall/bruck", "c3", 0, 3));
  std::istringstream in(sheet.Csv());
  console::CsvReader reader(&in);
  console::CsvRecord record;
  ASSERT_TRUE(reader.Next(record));
  EXPECT_THAT(record.fields,
              ::testing::ElementsAre("ranks", "block_bytes", "model", "strategy", "time_s", "units",
                                     "cpu_time_s", "link_congestion_s", "caveat"));
  ASSERT_TRUE(reader.Next(record));
  EXPECT_THAT(record.fields, ::testing::ElementsAre("64", "8", "hockney", "alltoall/linear", "0.1",
                                                    "0", "0", "0.1", "with \"care\", please"));
  ASSERT_TRUE(reader.Next(record));
  EXPECT_THAT(record.fields,
              ::testing::ElementsAre("64", "16", "c3", "alltoall/bruck", "0", "3", "0", "0", ""));
  EXPECT_FALSE(reader.Next(record));
  EXPECT_THAT(sheet.Csv(), HasSubstr("caveat\r\n")) << "RFC 4180 ends lines so";
}

TEST(PredictionSheetTest, PlotsOverSizeOrOverRanks) {
  PredictionSheet sizes = Empty();
  sizes.Add(64, 8, Make("alltoall/linear", "hockney", 1e-6));
  sizes.Add(64, 16, Make("alltoall/linear", "hockney", 2e-6));
  EXPECT_THAT(*sizes.Svg(), HasSubstr("bytes of a block"));
  EXPECT_THAT(*sizes.Svg(), HasSubstr("alltoall on m, hockney, 64 ranks"));
  PredictionSheet ranks = Empty();
  ranks.Add(64, 8, Make("alltoall/linear", "c3", 0, 5));
  ranks.Add(128, 8, Make("alltoall/linear", "c3", 0, 9));
  EXPECT_THAT(*ranks.Svg(), HasSubstr(">ranks<"));
  EXPECT_THAT(*ranks.Svg(), HasSubstr(">units<"));
  PredictionSheet nothing = Empty();
  nothing.Add(1, 0, Make("alltoall/linear", "hockney", 0));
  EXPECT_EQ(nothing.Svg().status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace cox::cli
