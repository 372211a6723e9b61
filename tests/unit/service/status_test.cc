#include "service/status.h"

#include <gtest/gtest.h>

#include <string>

#include "domain/errors.h"
#include "domain/reports/spooled.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace cox::service {
namespace {

template <typename Detail>
bool Find(const grpc::Status& status, Detail* detail) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return false;
  for (const auto& any : details.details()) {
    if (any.UnpackTo(detail)) return true;
  }
  return false;
}

TEST(Status, NamesTheFieldAndTheRule) {
  const grpc::Status status = ToGrpc(domain::InvalidField("ranks", "must be >= 1; it is 0"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  google::rpc::BadRequest bad_request;
  ASSERT_TRUE(Find(status, &bad_request));
  ASSERT_EQ(bad_request.field_violations_size(), 1);
  EXPECT_EQ(bad_request.field_violations(0).field(), "ranks");
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(Find(status, &info));
  EXPECT_EQ(info.reason(), "INVALID_FIELD");
  EXPECT_EQ(info.domain(), "coxswain");
}

// gRPC's clients refuse more than 8192 bytes of headers: the message as text, in which each byte
// that is no ASCII takes three, and the details in base64.
TEST(Status, ALongMessageFitsIntoTheHeaders) {
  constexpr size_t kHeaderBytes = 8'192;
  constexpr size_t kOtherHeaders = 512;
  for (const std::string& letter : {std::string("x"), std::string("\u00e9")}) {
    std::string name;
    while (name.size() < 100'000) name += letter;
    const grpc::Status status =
        ToGrpc(domain::InvalidField("library", "unknown \"" + name + "\"; choose from openmpi"));
    const size_t text_bytes = status.error_message().size() * (letter.size() == 1 ? 1 : 3);
    EXPECT_LE(text_bytes + status.error_details().size() * 4 / 3 + kOtherHeaders, kHeaderBytes);
    EXPECT_EQ(status.error_message().rfind("library: unknown \"" + letter, 0), size_t{0});
    EXPECT_NE(status.error_message().find(letter + "\"; choose from openmpi"), std::string::npos);
    google::rpc::BadRequest bad_request;
    ASSERT_TRUE(Find(status, &bad_request));  // valid UTF-8, too
    EXPECT_EQ(bad_request.field_violations(0).description(), status.error_message());
  }
}

TEST(Status, AReportThatARelayKeepsHasItsOwnReason) {
  const grpc::Status status = ToGrpc(domain::Spooled("coxd has not answered yet"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(Find(status, &info));
  EXPECT_EQ(info.reason(), "SPOOLED");
}

TEST(Status, OverTheBoundSaysWhenToRetry) {
  const grpc::Status status = ToGrpc(absl::ResourceExhaustedError("queue is full"));
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(Find(status, &retry));
  EXPECT_NEAR(retry.retry_delay().nanos() * 1e-9, kRetryDelaySeconds, 1e-9);
  EXPECT_FALSE(Find(ToGrpc(absl::NotFoundError("no")), &retry));
}

TEST(Status, OverAQuotaSaysWhenItHasRoom) {
  const grpc::Status status = ToGrpc(domain::QuotaExceeded("quota: too many rows", 12.25));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(Find(status, &retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 12);
  EXPECT_EQ(retry.retry_delay().nanos(), 250'000'000);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(Find(status, &info));
  EXPECT_EQ(info.reason(), "QUOTA_EXCEEDED");
}

TEST(Status, OnlyADaemonThatEndsIsShuttingDown) {
  google::rpc::ErrorInfo info;
  const grpc::Status ends = ToGrpc(ShuttingDown("coxd is ending"));
  EXPECT_EQ(ends.error_code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(Find(ends, &info));
  EXPECT_EQ(info.reason(), "SHUTTING_DOWN");
  ASSERT_TRUE(Find(ToGrpc(absl::UnavailableError("no connection to the database")), &info));
  EXPECT_EQ(info.reason(), "UNAVAILABLE");
}

TEST(Status, PassesOnTheErrorOfAnotherCoxd) {
  for (const absl::Status& error :
       {domain::QuotaExceeded("quota: too many rows", 12.25),
        domain::InvalidField("observations[3].ranks", "must be >= 1; it is 0"),
        absl::UnavailableError("the database is locked")}) {
    const grpc::Status from_coxd = ToGrpc(error);
    const absl::Status passed = FromGrpc(from_coxd);
    EXPECT_EQ(domain::RetryDelayOf(passed), domain::RetryDelayOf(error));
    const grpc::Status told = ToGrpc(passed);
    EXPECT_EQ(told.error_code(), from_coxd.error_code());
    EXPECT_EQ(told.error_message(), from_coxd.error_message());
    EXPECT_EQ(told.error_details(), from_coxd.error_details());
  }
  // An error of the connection has no details.
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(Find(ToGrpc(FromGrpc({grpc::StatusCode::INTERNAL, "broken"})), &info));
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
}

TEST(Status, NeverAnswersUnknown) {
  EXPECT_EQ(ToGrpc(absl::UnknownError("?")).error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

}  // namespace
}  // namespace cox::service
