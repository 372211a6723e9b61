#include "gateway/connect_error.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/escaping.h"
#include "domain/errors.h"
#include "gateway/http.h"
#include "google/rpc/error_details.pb.h"
#include "service/status.h"

namespace cox::gateway {
namespace {

using nlohmann::json;

TEST(ConnectError, HasTheStatusThatConnectSays) {
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::OK), 200);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::INVALID_ARGUMENT), 400);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::FAILED_PRECONDITION), 400);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::UNAUTHENTICATED), 401);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::PERMISSION_DENIED), 403);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::NOT_FOUND), 404);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::ALREADY_EXISTS), 409);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::RESOURCE_EXHAUSTED), 429);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::CANCELLED), 499);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::INTERNAL), 500);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::UNIMPLEMENTED), 501);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::UNAVAILABLE), 503);
  EXPECT_EQ(HttpStatusOf(grpc::StatusCode::DEADLINE_EXCEEDED), 504);
  EXPECT_EQ(HttpStatusOf(static_cast<grpc::StatusCode>(99)), 500);
}

TEST(ConnectError, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  for (int code = 0; code <= grpc::StatusCode::UNAUTHENTICATED; ++code) {
    names.insert(std::string(CodeName(static_cast<grpc::StatusCode>(code))));
  }
  EXPECT_EQ(names.size(), 17u);
  EXPECT_EQ(CodeName(grpc::StatusCode::UNAUTHENTICATED), "unauthenticated");
  EXPECT_EQ(CodeName(static_cast<grpc::StatusCode>(-1)), "unknown");
}

TEST(ConnectError, CarriesTheDetailsThatGrpcCarries) {
  const grpc::Status status =
      service::ToGrpc(domain::InvalidField("ranks", "must be >= 1; it is 0"));
  const json error = json::parse(ErrorJson(status));
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_EQ(error["message"], status.error_message());
  bool found = false;
  for (const json& detail : error["details"]) {
    if (detail["type"] != "google.rpc.BadRequest") continue;
    found = true;
    EXPECT_EQ(detail["debug"]["fieldViolations"][0]["field"], "ranks");
    const std::string value = detail["value"];
    EXPECT_EQ(value.find('='), std::string::npos);  // no padding
    std::string bytes;
    ASSERT_TRUE(absl::Base64Unescape(value, &bytes));
    google::rpc::BadRequest bad_request;
    ASSERT_TRUE(bad_request.ParseFromString(bytes));
    EXPECT_EQ(bad_request.field_violations(0).field(), "ranks");
  }
  EXPECT_TRUE(found);
}

TEST(ConnectError, NeedsNoDetailsAndNoUtf8) {
  const json plain = json::parse(ErrorJson(grpc::Status(grpc::StatusCode::NOT_FOUND, "no \xff")));
  EXPECT_EQ(plain["code"], "not_found");
  EXPECT_FALSE(plain.contains("details"));
  const json broken = json::parse(ErrorJson(grpc::Status(grpc::StatusCode::INTERNAL, "x", "\xff")));
  EXPECT_FALSE(broken.contains("details"));
}

grpc::Status QuotaExceeded(double delay_s) {
  return service::ToGrpc(domain::QuotaExceeded("full", delay_s));
}

// The value of Retry-After; "" without the header.
std::string RetryAfter(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "Retry-After") return value;
  }
  return "";
}

TEST(ConnectError, RetryAfterIsTheStatussInWholeSeconds) {
  EXPECT_EQ(RetryAfter(ErrorResponse(QuotaExceeded(600))), "600");
  EXPECT_EQ(RetryAfter(ErrorResponse(QuotaExceeded(2.001))), "3");
  EXPECT_EQ(RetryAfter(ErrorResponse(QuotaExceeded(0.25))), "1");
  EXPECT_EQ(RetryAfter(ErrorResponse(QuotaExceeded(0))), "1");
  EXPECT_EQ(RetryAfter(ErrorResponse(grpc::Status(grpc::StatusCode::UNAVAILABLE, "bye"))), "1");
  EXPECT_EQ(
      RetryAfter(ErrorResponse(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "x", "\xff"))),
      "1");
}

TEST(ConnectError, NoRetryHelpsABodyThatIsTooLong) {
  EXPECT_EQ(RetryAfter(ErrorResponse(413, grpc::StatusCode::RESOURCE_EXHAUSTED, "too long")), "");
}

TEST(ConnectError, AStreamEndsWithAnObject) {
  EXPECT_EQ(EndOfStreamJson(grpc::Status::OK), "{}");
  const json end = json::parse(EndOfStreamJson(grpc::Status(grpc::StatusCode::UNAVAILABLE, "bye")));
  EXPECT_EQ(end["error"]["code"], "unavailable");
}

}  // namespace
}  // namespace cox::gateway
