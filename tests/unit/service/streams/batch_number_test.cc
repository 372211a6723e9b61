#include "service/streams/batch_number.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <string>

#include "cox/v1/observation.pb.h"

namespace cox::service {
namespace {

TEST(BatchNumber, IsThatOfTheMessage) {
  for (const int64_t number : {int64_t{0}, int64_t{1}, int64_t{1'763'942'400'123'456'789}}) {
    v1::StreamObservationsRequest request;
    request.mutable_batch()->set_job("a job");
    request.mutable_batch()->set_sequence(number);
    request.mutable_batch()->add_observations()->set_machine("delta");
    request.mutable_batch()->set_source("me");
    EXPECT_EQ(BatchNumberOf(request.SerializeAsString()), number);
  }
}

TEST(BatchNumber, IsFoundBehindUnknownFields) {
  v1::StreamObservationsRequest unknown;
  auto* fields = unknown.GetReflection()->MutableUnknownFields(&unknown);
  fields->AddVarint(100, 1ull << 60);
  fields->AddFixed32(101, 1);
  fields->AddFixed64(102, 1);
  fields->AddLengthDelimited(103, "text");
  v1::StreamObservationsRequest request;
  request.mutable_batch()->set_sequence(5);
  EXPECT_EQ(BatchNumberOf(unknown.SerializeAsString() + request.SerializeAsString()), 5);
}

TEST(BatchNumber, IsNotThatOfAnotherPart) {
  // The batch ends before the bytes that would be its number.
  EXPECT_EQ(BatchNumberOf(std::string("\x0a\x00\x10\x05", 4)), 0);
  for (const std::string& wire : {std::string(), std::string(100, '\xff'), std::string("\x10\x05"),
                                  std::string("\x0b\x0a"), std::string("\x12\x7f\x0a")}) {
    EXPECT_EQ(BatchNumberOf(wire), std::nullopt);
  }
}

}  // namespace
}  // namespace cox::service
