#include "service/entry/parsed_size.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <string>

#include "cox/v1/advice.pb.h"
#include "cox/v1/model.pb.h"
#include "cox/v1/observation.pb.h"

namespace cox::service {
namespace {

// The same part again and again, `bytes` in all.
std::string Repeated(const std::string& part, size_t bytes) {
  std::string wire;
  while (wire.size() + part.size() <= bytes) wire += part;
  return wire;
}

v1::ReportObservationsRequest Report(int rows) {
  v1::ReportObservationsRequest request;
  for (int i = 0; i < rows; ++i) {
    v1::Observation& row = *request.add_observations();
    row.set_machine("m");
    row.set_library("openmpi-4.1");
    row.set_collective("bcast");
    row.set_algorithm("default");
    row.set_nodes(2);
    row.set_ppn(2);
    row.set_ranks(4);
    row.set_time_s(1e-5);
  }
  return request;
}

TEST(ParsedSize, EmptyPartsAreRefused) {
  v1::ReportObservationsRequest one;
  one.add_observations();
  const std::string many = Repeated(one.SerializeAsString(), 1 << 20);
  const absl::StatusOr<int64_t> bytes =
      ParsedBytes(*v1::ReportObservationsRequest::descriptor(), many);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_GT(*bytes, 50 << 20);
  const absl::Status refused =
      CheckParsedSize(*v1::ReportObservationsRequest::descriptor(), many).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
}

TEST(ParsedSize, EmptyPartsAreFoundInsideOfOthers) {
  v1::ReportObservationsRequest one;
  one.add_observations();
  v1::StreamObservationsRequest inside;
  std::string many = Repeated(one.SerializeAsString(), 1 << 20);
  ASSERT_TRUE(inside.mutable_batch()->ParseFromString(many));
  EXPECT_FALSE(
      CheckParsedSize(*v1::StreamObservationsRequest::descriptor(), inside.SerializeAsString())
          .ok());
  v1::RecommendRequest question;
  question.add_candidates();
  v1::BatchRecommendRequest texts;
  ASSERT_TRUE(
      texts.add_requests()->ParseFromString(Repeated(question.SerializeAsString(), 1 << 20)));
  EXPECT_FALSE(
      CheckParsedSize(*v1::BatchRecommendRequest::descriptor(), texts.SerializeAsString()).ok());
}

TEST(ParsedSize, WhatClientsSendIsTaken) {
  const v1::ReportObservationsRequest rows = Report(20'000);
  EXPECT_TRUE(
      CheckParsedSize(*v1::ReportObservationsRequest::descriptor(), rows.SerializeAsString()).ok());
  v1::BatchRecommendRequest questions;
  for (int i = 0; i < 10'000; ++i) {
    v1::RecommendRequest& question = *questions.add_requests();
    question.set_machine("m");
    question.set_library("openmpi-4.1");
    question.set_collective("bcast");
    question.set_nodes(2);
    question.set_block_bytes(8);
  }
  EXPECT_TRUE(
      CheckParsedSize(*v1::BatchRecommendRequest::descriptor(), questions.SerializeAsString())
          .ok());
}

// The estimate is near what the message really takes.
TEST(ParsedSize, IsNearTheTruth) {
  const v1::ReportObservationsRequest rows = Report(1'000);
  const auto truth = static_cast<double>(rows.SpaceUsedLong());
  const auto estimate = static_cast<double>(
      ParsedBytes(*v1::ReportObservationsRequest::descriptor(), rows.SerializeAsString()).value());
  EXPECT_GT(estimate, truth / 2);
  EXPECT_LT(estimate, truth * 1.2);
}

// Each of these needs the parser to take what the walk would not count.
TEST(ParsedSize, NothingHidesEmptyParts) {
  const auto& type = *v1::ReportObservationsRequest::descriptor();
  const std::string rows = Repeated(std::string("\x1a\x00", 2), 2 << 20);
  ASSERT_FALSE(CheckParsedSize(type, rows).ok());
  const std::string group = "\x7b\x7c";
  const std::string wide_tags = Repeated(std::string("\x9a\x80\x80\x80\x10\x00", 6), 2 << 20);
  for (const std::string& wire : {group + rows, wide_tags}) {
    v1::ReportObservationsRequest parsed;
    ASSERT_TRUE(parsed.ParseFromString(wire));
    ASSERT_GT(parsed.observations_size(), 100'000);
    EXPECT_TRUE(absl::IsInvalidArgument(CheckParsedSize(type, wire).status()));
  }
}

// A part may say that it ends after the part that it is in: the parser reads on in the bytes
// behind. There the outer part has a name of 800,000 bytes, and the inner one a byte of its name,
// an unknown number, and parts.
TEST(ParsedSize, PartsThatEndTooLateAreRefused) {
  const std::string length = "\x80\xea\x30";
  const std::string wire = "\x32\x06\x32" + length + "\x12\x01\x12" + length + "x" +
                           Repeated(std::string("\x32\x00", 2), 800'000);
  v1::BlockGraph parsed;
  EXPECT_FALSE(parsed.ParseFromString(wire));
  ASSERT_GT(parsed.parts(0).parts(0).parts_size(), 390'000);
  EXPECT_TRUE(
      absl::IsInvalidArgument(CheckParsedSize(*v1::BlockGraph::descriptor(), wire).status()));
}

TEST(ParsedSize, EmptyPartsAreFoundAsDeepAsTheParserGoes) {
  const auto& type = *v1::BlockGraph::descriptor();
  const int number = type.FindFieldByName("parts")->number();
  ASSERT_LT(number, 16);
  const std::string tag(1, static_cast<char>(number << 3 | 2));
  const auto within = [&](int depth) {
    v1::BlockGraph graph;
    EXPECT_TRUE(graph.ParseFromString(Repeated(tag + std::string(1, '\0'), 400'000)));
    for (int i = 0; i < depth; ++i) {
      v1::BlockGraph outer;
      outer.add_parts()->Swap(&graph);
      graph.Swap(&outer);
    }
    return graph.SerializeAsString();
  };
  for (const int depth : {0, 31, 32, 64, 99}) {
    const std::string wire = within(depth);
    v1::BlockGraph parsed;
    ASSERT_TRUE(parsed.ParseFromString(wire)) << depth;
    EXPECT_TRUE(absl::IsInvalidArgument(CheckParsedSize(type, wire).status())) << depth;
  }
  // The parser refuses deeper ones.
  v1::BlockGraph parsed;
  EXPECT_FALSE(parsed.ParseFromString(within(100)));
  EXPECT_FALSE(ParsedBytes(type, within(100)).ok());
}

TEST(ParsedSize, UnknownFieldsCount) {
  const auto& type = *v1::ReportObservationsRequest::descriptor();
  const std::string texts = Repeated(std::string("\x7a\x00", 2), 400'000);
  // Of the number of a field with another type: `sequence` as text.
  const std::string misfits = Repeated(std::string("\x0d\x00\x00\x00\x00", 5), 100) +
                              Repeated(std::string("\x12\x00", 2), 400'000);
  v1::ReportObservationsRequest in_a_row;
  ASSERT_TRUE(in_a_row.add_observations()->ParseFromString(
      Repeated(std::string("\xa2\x06\x00", 3), 400'000)));
  for (const std::string& wire : {texts, misfits, in_a_row.SerializeAsString()}) {
    v1::ReportObservationsRequest parsed;
    ASSERT_TRUE(parsed.ParseFromString(wire));
    ASSERT_GT(parsed.SpaceUsedLong(), 16 * wire.size());
    EXPECT_TRUE(absl::IsInvalidArgument(CheckParsedSize(type, wire).status()));
  }
}

// Each row with three fields of a newer version.
TEST(ParsedSize, UnknownFieldsOfNewerClientsAreTaken) {
  v1::ReportObservationsRequest rows = Report(20'000);
  for (v1::Observation& row : *rows.mutable_observations()) {
    google::protobuf::UnknownFieldSet& unknown = *row.GetReflection()->MutableUnknownFields(&row);
    unknown.AddVarint(1'000, 1);
    unknown.AddFixed64(1'001, 2);
    unknown.AddLengthDelimited(1'002, "a word");
  }
  EXPECT_TRUE(
      CheckParsedSize(*v1::ReportObservationsRequest::descriptor(), rows.SerializeAsString()).ok());
}

TEST(ParsedSize, NonsenseIsRefused) {
  const auto& type = *v1::ReportObservationsRequest::descriptor();
  for (const std::string& wire :
       {std::string(100, '\xff'), std::string("\x0a\xff\xff\xff\xff\x0f", 6), std::string("\x0b"),
        std::string("\x0c"), std::string("\x7b\x7c"), std::string("\x0e"), std::string("\x09\x01"),
        std::string("\x0d\x01"), std::string(1, '\x08')}) {
    const absl::Status refused = CheckParsedSize(type, wire).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << wire.size();
    EXPECT_NE(refused.message().find("ReportObservationsRequest"), std::string::npos) << refused;
  }
  EXPECT_TRUE(CheckParsedSize(type, "").ok());
}

}  // namespace
}  // namespace cox::service
