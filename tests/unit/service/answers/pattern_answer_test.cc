#include "service/answers/pattern_answer.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "domain/errors.h"
#include "service/limits.h"

namespace cox::service {
namespace {

v1::EvaluatePatternRequest Messages(int count) {
  v1::EvaluatePatternRequest request;
  for (int i = 0; i < count; ++i) {
    request.add_sources(i);
    request.add_destinations(i + 1);
    request.add_block_bytes(8);
  }
  return request;
}

v1::EvaluatePatternRequest Header() {
  v1::EvaluatePatternRequest request;
  request.mutable_header()->set_machine("delta");
  return request;
}

TEST(StreamedPatternTest, CountsWhatAllOfThemHold) {
  PatternMessages all;
  {
    StreamedPattern one(&all, "ada");
    StreamedPattern other(&all, "bob");
    ASSERT_TRUE(one.Add(Header()).ok());
    ASSERT_TRUE(other.Add(Header()).ok());
    EXPECT_TRUE(one.Add(Messages(10)).ok());
    EXPECT_TRUE(other.Add(Messages(5)).ok());
    EXPECT_EQ(all.held.held(), 15);
  }
  EXPECT_EQ(all.held.held(), 0);
}

// A caller holds at most three times what it leaves free: three quarters.
TEST(StreamedPatternTest, ACallerLeavesRoomForOthers) {
  constexpr int64_t kShare = kMaxPatternMessagesHeld / 4 * 3;
  PatternMessages all;
  ASSERT_TRUE(all.held.Take("ada", kShare - 4));
  StreamedPattern pattern(&all, "ada");
  ASSERT_TRUE(pattern.Add(Header()).ok());
  EXPECT_TRUE(pattern.Add(Messages(4)).ok());
  EXPECT_EQ(pattern.Add(Messages(1)).code(), absl::StatusCode::kResourceExhausted);
  StreamedPattern other(&all, "bob");
  ASSERT_TRUE(other.Add(Header()).ok());
  EXPECT_TRUE(other.Add(Messages(1000)).ok());
}

TEST(StreamedPatternTest, HoldsLittleOfAHeader) {
  PatternMessages all;
  v1::EvaluatePatternRequest fits = Header();
  for (int i = 0; i < kMaxParameters; ++i) {
    v1::WhatIf& change = *fits.mutable_header()->add_what_if();
    change.set_parameter("loggp.network.a_parameter_of_a_long_name");
    change.set_value(1);
  }
  EXPECT_TRUE(StreamedPattern(&all, "ada").Add(fits).ok());
  // What a newer client says is not kept.
  v1::EvaluatePatternRequest newer = Header();
  v1::PatternHeader& header = *newer.mutable_header();
  for (int i = 0; i < 20'000; ++i) {
    header.GetReflection()->MutableUnknownFields(&header)->AddLengthDelimited(1'000, "");
  }
  EXPECT_TRUE(StreamedPattern(&all, "ada").Add(newer).ok());
  v1::EvaluatePatternRequest large = Header();
  for (int i = 0; i < 20'000; ++i) large.mutable_header()->add_routes();
  EXPECT_EQ(domain::FieldOf(StreamedPattern(&all, "ada").Add(large)), "header");
}

TEST(StreamedPatternTest, MessagesMayStandBesideTheHeader) {
  PatternMessages all;
  StreamedPattern pattern(&all, "ada");
  v1::EvaluatePatternRequest request = Messages(3);
  *request.mutable_header() = Header().header();
  EXPECT_TRUE(pattern.Add(request).ok());
  EXPECT_EQ(domain::FieldOf(pattern.Add(request)), "header");
}

TEST(StreamedPatternTest, AnUnknownMachineIsNamed) {
  PatternMessages all;
  StreamedPattern pattern(&all, "ada");
  ASSERT_TRUE(pattern.Add(Header()).ok());
  v1::EvaluatePatternResponse response;
  EXPECT_EQ(
      pattern.Answer(std::make_shared<const daemon::Snapshot>(), NodeFinder(nullptr), {}, &response)
          .code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace cox::service
