#include "cli/rpc_error.h"

#include <gmock/gmock.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include "cli/exit_code.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;

grpc::Status Rich(grpc::StatusCode code, const std::string& message,
                  const std::vector<google::protobuf::Any>& details) {
  google::rpc::Status status;
  for (const auto& detail : details) *status.add_details() = detail;
  return grpc::Status(code, message, status.SerializeAsString());
}

google::protobuf::Any Packed(const google::protobuf::Message& message) {
  google::protobuf::Any any;
  any.PackFrom(message);
  return any;
}

TEST(RpcErrorTest, SaysFieldAndReasonOfARefusal) {
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field("machine.nodes");
  violation->set_description("must be >= 1");
  google::rpc::ErrorInfo info;
  info.set_reason("OUT_OF_RANGE");
  const absl::Status status = FromRpc(
      Rich(grpc::StatusCode::INVALID_ARGUMENT, "bad shape", {Packed(bad), Packed(info)}), "s");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "machine.nodes: bad shape; must be >= 1 [OUT_OF_RANGE]");
}

TEST(RpcErrorTest, DoesNotRepeatWhatTheMessageSays) {
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field("nodes");
  violation->set_description("must be >= 1");
  EXPECT_EQ(
      FromRpc(Rich(grpc::StatusCode::INVALID_ARGUMENT, "nodes: must be >= 1", {Packed(bad)}), "s")
          .message(),
      "nodes: must be >= 1");
}

TEST(RpcErrorTest, SaysWhatToDoWithoutADaemon) {
  const absl::Status absent =
      FromRpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "connection refused"), "127.0.0.1:1");
  EXPECT_EQ(ExitCodeOf(absent), kExitUnavailable);
  EXPECT_THAT(std::string(absent.message()), HasSubstr("cannot reach coxd at 127.0.0.1:1"));
  EXPECT_THAT(std::string(absent.message()), HasSubstr("--server"));
  const absl::Status slow = FromRpc(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, ""), "s");
  EXPECT_THAT(std::string(slow.message()), HasSubstr("--timeout"));
}

TEST(RpcErrorTest, AFullDaemonRefusesAndABusyOneIsUnavailable) {
  google::rpc::ErrorInfo info;
  info.set_reason("QUOTA_EXCEEDED");
  const absl::Status full =
      FromRpc(Rich(grpc::StatusCode::RESOURCE_EXHAUSTED, "full", {Packed(info)}), "s");
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(full.message(), "full [QUOTA_EXCEEDED]");
  EXPECT_EQ(ExitCodeOf(full), kExitRefused);
  info.set_reason("OVERLOADED");
  EXPECT_EQ(
      ExitCodeOf(FromRpc(Rich(grpc::StatusCode::RESOURCE_EXHAUSTED, "busy", {Packed(info)}), "s")),
      kExitUnavailable);
}

TEST(RpcErrorTest, AnEmptyMessageStillSaysSomething) {
  EXPECT_THAT(std::string(FromRpc(grpc::Status(grpc::StatusCode::INTERNAL, ""), "s").message()),
              HasSubstr("INTERNAL"));
  // cox ignores details that are not a google.rpc.Status.
  EXPECT_EQ(FromRpc(grpc::Status(grpc::StatusCode::INTERNAL, "m", "\xFF\xFF"), "s").message(), "m");
}

TEST(RpcErrorTest, ReadsTheRetryDelay) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(1);
  retry.mutable_retry_delay()->set_nanos(500000000);
  EXPECT_EQ(RetryDelayOf(Rich(grpc::StatusCode::RESOURCE_EXHAUSTED, "", {Packed(retry)})), 1.5);
  EXPECT_EQ(RetryDelayOf(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "")), 0);
}

}  // namespace
}  // namespace cox::cli
