#include "cli/files/interchange.h"

#include <cox/v1/advice.pb.h>
#include <cox/v1/calibration.pb.h>
#include <cox/v1/observation.pb.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace cox::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kObservationHeader[] =
    "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,run,count,statistic,"
    "stddev_s,at,type_bytes\n";
constexpr char kGoodObservation[] =
    "peak,openmpi-4.1,alltoall,modified_bruck,2,42,84,1024,1.5e-4,r1,10,median,1e-6,"
    "2026-11-20T08:00:00Z,8";

std::unique_ptr<RecordFile> Records(const std::string& text, absl::Span<const ColumnSpec> columns) {
  auto file = RecordFile::FromText(text, "f.csv", columns);
  EXPECT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE((*file)->Next());
  return *std::move(file);
}

std::string ObservationRule(const std::string& row) {
  v1::Observation observation;
  const auto file = Records(kObservationHeader + row + "\n", ObservationColumns());
  const absl::Status status = ParseObservation(*file, observation);
  return status.ok() ? "accepted" : std::string(status.message());
}

// The good row with one field replaced.
std::string WithField(size_t index, const std::string& value) {
  std::vector<std::string> fields = absl::StrSplit(kGoodObservation, ',');
  fields[index] = value;
  return absl::StrJoin(fields, ",");
}

TEST(InterchangeTest, ReadsAnObservation) {
  v1::Observation observation;
  const auto file =
      Records(std::string(kObservationHeader) + kGoodObservation + "\n", ObservationColumns());
  ASSERT_TRUE(ParseObservation(*file, observation).ok());
  EXPECT_EQ(observation.machine(), "peak");
  EXPECT_EQ(observation.algorithm(), "modified_bruck");
  EXPECT_EQ(observation.ranks(), 84);
  EXPECT_EQ(observation.time_s(), 1.5e-4);
  EXPECT_EQ(observation.count(), 10);
  EXPECT_EQ(observation.at().seconds(), 1795161600);
  EXPECT_EQ(observation.type_bytes(), 8);
}

TEST(InterchangeTest, AnExportedObservationReadsBack) {
  v1::Observation observation;
  const auto file =
      Records(std::string(kObservationHeader) + kGoodObservation + "\n", ObservationColumns());
  ASSERT_TRUE(ParseObservation(*file, observation).ok());
  observation.set_algorithm("odd, \"name\" ");
  observation.set_run(" ");
  observation.set_job(" 42@node1");
  observation.set_source("ada@login, \"2\"");
  observation.set_measurement(v1::MEASUREMENT_JOB);
  v1::Observation again;
  const auto exported =
      Records(ObservationHeader() + ObservationRow(observation), ObservationColumns());
  ASSERT_TRUE(ParseObservation(*exported, again).ok());
  EXPECT_EQ(again.SerializeAsString(), observation.SerializeAsString());
}

TEST(InterchangeTest, SpacesBesideCommasAreNoPartOfAValue) {
  v1::Observation plain;
  v1::Observation spaced;
  const std::string text = std::string(kObservationHeader) + kGoodObservation + "\n";
  ASSERT_TRUE(ParseObservation(*Records(text, ObservationColumns()), plain).ok());
  const std::string apart = absl::StrReplaceAll(text, {{",", " , "}});
  ASSERT_TRUE(ParseObservation(*Records(apart, ObservationColumns()), spaced).ok());
  EXPECT_EQ(spaced.SerializeAsString(), plain.SerializeAsString());
  v1::RecommendRequest question;
  const auto file = Records(
      "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\n"
      "m, openmpi-4.1, bcast, 1, 2, 2, 8, linear; binomial\n",
      QuestionColumns());
  ASSERT_TRUE(ParseQuestion(*file, question).ok());
  EXPECT_EQ(question.collective(), "bcast");
  EXPECT_THAT(question.candidates(), ElementsAre("linear", "binomial"));
}

struct BadField {
  size_t index;
  const char* value;
  const char* message;
};

TEST(InterchangeTest, NamesLineColumnAndRuleOfABadField) {
  const BadField cases[] = {
      {0, "", "f.csv:2:machine: is ''"},
      {0, "Peak", "f.csv:2:machine: is 'Peak'"},
      {1, "", "f.csv:2:library: is empty"},
      {2, "", "f.csv:2:collective: is empty"},
      {3, "", "f.csv:2:algorithm: is empty"},
      {4, "0", "f.csv:2:nodes: is '0', must be within 1.."},
      {5, "-1", "f.csv:2:ppn: is '-1'"},
      {6, "85", "f.csv:2:ranks: is 85, but nodes x ppn is 84"},
      {6, "many", "f.csv:2:ranks: is 'many', not an integer"},
      {7, "-1", "f.csv:2:block_bytes: is '-1'"},
      {7, "9223372036854775807", "f.csv:2:block_bytes: is '9223372036854775807'"},
      {8, "nan", "f.csv:2:time_s: is 'nan', must be finite"},
      {8, "0", "f.csv:2:time_s: is '0', must be > 0"},
      {8, "", "f.csv:2:time_s: is empty"},
      {9, "L\xe4ufe",
       "f.csv:2:run: has characters that are not printable, or bytes that are not UTF-8"},
      {9, "a\x1b[2J", "f.csv:2:run: has characters that are not printable"},
      {10, "0", "f.csv:2:count: is '0'"},
      {10, "1000000000001", "f.csv:2:count: is '1000000000001'"},
      {11, "mode", "f.csv:2:statistic: is 'mode', must be mean, median or min"},
      {12, "-1", "f.csv:2:stddev_s: is '-1', must be >= 0"},
      {13, "yesterday", "f.csv:2:at: is 'yesterday'"},
      {13, "1969-12-31T23:59:59Z", "f.csv:2:at: is '1969-12-31T23:59:59Z'"},
      {14, "0", "f.csv:2:type_bytes: is '0'"},
  };
  for (const BadField& bad : cases) {
    EXPECT_THAT(ObservationRule(WithField(bad.index, bad.value)), StartsWith(bad.message));
  }
  EXPECT_THAT(ObservationRule(WithField(1, std::string(65, 'x'))), HasSubstr("at most 64"));
  EXPECT_THAT(ObservationRule("peak,openmpi-4.1"), HasSubstr("has 2 fields, the header has 15"));
  EXPECT_THAT(ObservationRule(WithField(3, "\"open")), HasSubstr("never closed"));
}

TEST(InterchangeTest, OptionalColumnsMayBeMissingAndOthersAreIgnored) {
  auto file = RecordFile::FromText(
      "comment,time_s,block_bytes,ranks,ppn,nodes,algorithm,collective,library,machine\n"
      "hi,1e-3,0,1,1,1,default,barrier,mpich-4.0,machines/one\n",
      "f.csv", ObservationColumns());
  ASSERT_TRUE(file.ok());
  EXPECT_THAT((*file)->ignored_columns(), ElementsAre("comment"));
  ASSERT_TRUE((*file)->Next());
  v1::Observation observation;
  ASSERT_TRUE(ParseObservation(**file, observation).ok());
  EXPECT_EQ(observation.machine(), "one");
  EXPECT_EQ(observation.count(), 0);
  EXPECT_FALSE(observation.has_at());
}

TEST(InterchangeTest, RefusesABadHeader) {
  const auto rule = [](const std::string& text) {
    const auto file = RecordFile::FromText(text, "f.csv", SampleColumns());
    return file.ok() ? "accepted" : std::string(file.status().message());
  };
  EXPECT_THAT(rule(""), HasSubstr("is empty"));
  EXPECT_THAT(rule("machine,kind,level,block_bytes\n"),
              StartsWith("f.csv:1:time_s: the header lacks"));
  EXPECT_THAT(rule("machine,kind,level,kind\n"), StartsWith("f.csv:1:kind: the header names"));
  EXPECT_EQ(rule(" machine , kind,level,block_bytes,time_s\n"), "accepted");
}

TEST(InterchangeTest, ReadsSamplesOfOneMachine) {
  const std::string header = "machine,kind,level,pattern,pairs,block_bytes,time_s\n";
  v1::Sample sample;
  const auto rule = [&](const std::string& row) {
    const absl::Status status =
        ParseSample(*Records(header + row + "\n", SampleColumns()), "m", sample);
    return status.ok() ? "accepted" : std::string(status.message());
  };
  EXPECT_EQ(rule("m,pingpong,socket,pairwise,4,8,2e-6"), "accepted");
  EXPECT_EQ(sample.pairs(), 4);
  EXPECT_EQ(rule("m,pingpong,node,,,0,2e-6"), "accepted");
  EXPECT_EQ(sample.pairs(), 0);
  EXPECT_THAT(rule("other,pingpong,node,,1,8,1e-6"), StartsWith("f.csv:2:machine: is 'other'"));
  EXPECT_THAT(rule("m,pingpong,rack,,1,8,1e-6"), StartsWith("f.csv:2:level: is 'rack'"));
  EXPECT_THAT(rule("m,pingpong,node,,0,8,1e-6"), StartsWith("f.csv:2:pairs:"));
  EXPECT_THAT(rule("m,pingpong,node,,1,8,inf"), StartsWith("f.csv:2:time_s:"));
}

TEST(InterchangeTest, ReadsQuestions) {
  const std::string header = "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\n";
  v1::RecommendRequest question;
  const auto rule = [&](const std::string& row) {
    const absl::Status status =
        ParseQuestion(*Records(header + row + "\n", QuestionColumns()), question);
    return status.ok() ? "accepted" : std::string(status.message());
  };
  EXPECT_EQ(rule("m,openmpi-4.1,bcast,2,4,8,1024,chain;default;;knomial"), "accepted");
  EXPECT_THAT(question.candidates(), ElementsAre("chain", "default", "knomial"));
  EXPECT_EQ(rule("m,openmpi-4.1,bcast,2,4,8,1024,"), "accepted");
  EXPECT_EQ(question.candidates_size(), 0);
  EXPECT_THAT(rule("m,openmpi-4.1,bcast,2,4,9,1024,"), StartsWith("f.csv:2:ranks:"));
  EXPECT_THAT(rule("m,openmpi-4.1,bcast,2,4,8,1k,"), StartsWith("f.csv:2:block_bytes:"));
  EXPECT_EQ(question.node_list(), "");
  const auto status =
      ParseQuestion(*Records("machine,library,collective,nodes,ppn,ranks,block_bytes,node_list\n"
                             "m,openmpi-4.1,bcast,2,4,8,1024,\"n[1-2,8]\"\n",
                             QuestionColumns()),
                    question);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(question.node_list(), "n[1-2,8]");
  std::string many;
  for (int i = 0; i < 257; ++i) many += "a;";
  EXPECT_THAT(rule("m,openmpi-4.1,bcast,2,4,8,1," + many), HasSubstr("at most 256"));
}

TEST(InterchangeTest, WritesABatchAnswerWithJustItsKeys) {
  v1::RecommendResponse answer;
  answer.set_algorithm("pairwise");
  answer.set_native_id(2);
  answer.set_strategy("alltoall/pairwise");
  answer.set_predicted_time_s(0.5);
  answer.add_interval_s(0.25);
  answer.add_interval_s(1);
  answer.set_default_time_s(0.75);
  answer.set_model("hockney");
  answer.set_reason("it \"wins\"");
  std::string text;
  answer.add_caveats("a");
  answer.add_caveats("b");
  answer.add_evidence(v1::EVIDENCE_BENCHMARK);
  answer.add_evidence(v1::EVIDENCE_JOBS);
  AppendBatchAnswer(answer, text);
  EXPECT_EQ(text, R"({"algorithm":"pairwise","native_id":2,"strategy":"alltoall/pairwise",)"
                  R"("predicted_time_s":0.5,"interval_s":[0.25,1],"default_time_s":0.75,)"
                  R"("model":"hockney","reason":"it \"wins\"",)"
                  R"("evidence":["EVIDENCE_BENCHMARK","EVIDENCE_JOBS"],"caveats":["a","b"]})");
}

TEST(InterchangeTest, WritesAlternativesThatWereAskedFor) {
  v1::RecommendResponse answer;
  answer.set_algorithm("ring");
  v1::Alternative* ring = answer.add_alternatives();
  ring->set_algorithm("ring");
  ring->set_predicted_time_s(0.5);
  ring->add_interval_s(0.25);
  ring->add_interval_s(1);
  answer.add_alternatives()->set_algorithm("default");
  std::string text;
  AppendBatchAnswer(answer, text);
  EXPECT_THAT(text, HasSubstr(R"("caveats":[],"alternatives":[{"algorithm":"ring","strategy":"",)"
                              R"("predicted_time_s":0.5,"interval_s":[0.25,1]},)"
                              R"({"algorithm":"default",)"));
}

TEST(InterchangeTest, WritesWhatIsNotKnownAsNull) {
  v1::RecommendResponse answer;
  answer.set_algorithm("default");
  answer.set_reason("no data");
  answer.set_predicted_time_s(std::numeric_limits<double>::quiet_NaN());
  std::string text;
  AppendBatchAnswer(answer, text);
  EXPECT_EQ(text,
            R"({"algorithm":"default","native_id":null,"strategy":"","predicted_time_s":null,)"
            R"("interval_s":[],"default_time_s":null,"model":"","reason":"no data",)"
            R"("evidence":[],"caveats":[]})");
  answer.set_error("there is no machine \"x\"");
  text.clear();
  AppendBatchAnswer(answer, text);
  EXPECT_THAT(text, HasSubstr(R"({"algorithm":null,)"));
  EXPECT_THAT(text,
              HasSubstr(R"("reason":"there is no machine \"x\"","evidence":[],"caveats":[]})"));
}

}  // namespace
}  // namespace cox::cli
