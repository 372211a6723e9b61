#include "service/entry/parsed_size.h"

#include <gtest/gtest.h>

#include "cox/v1/advice.pb.h"
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
  EXPECT_GT(ParsedBytes(*v1::ReportObservationsRequest::descriptor(), many), 50 << 20);
  const absl::Status refused = CheckParsedSize(*v1::ReportObservationsRequest::descriptor(), many);
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
      ParsedBytes(*v1::ReportObservationsRequest::descriptor(), rows.SerializeAsString()));
  EXPECT_GT(estimate, truth / 4);
  EXPECT_LT(estimate, truth);
}

TEST(ParsedSize, NonsenseEndsTheWalk) {
  const auto& type = *v1::ReportObservationsRequest::descriptor();
  for (const std::string& wire :
       {std::string(100, '\xff'), std::string("\x0a\xff\xff\xff\xff\x0f", 6), std::string("\x0b"),
        std::string("\x09\x01"), std::string("\x0d\x01"), std::string(1, '\x08')}) {
    EXPECT_EQ(ParsedBytes(type, wire), 0) << wire.size();
  }
}

}  // namespace
}  // namespace cox::service
