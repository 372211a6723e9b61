#include "gateway/connect_error.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "google/rpc/status.pb.h"
#include "service/status.h"

namespace cox::gateway {
namespace {

using Json = nlohmann::ordered_json;

struct Code {
  absl::string_view name;
  int http_status;
};
// In the order of gRPC's numbers. https://connectrpc.com/docs/protocol#error-codes
constexpr Code kCodes[] = {
    {"ok", 200},
    {"canceled", 499},
    {"unknown", 500},
    {"invalid_argument", 400},
    {"deadline_exceeded", 504},
    {"not_found", 404},
    {"already_exists", 409},
    {"permission_denied", 403},
    {"resource_exhausted", 429},
    {"failed_precondition", 400},
    {"aborted", 409},
    {"out_of_range", 400},
    {"unimplemented", 501},
    {"internal", 500},
    {"unavailable", 503},
    {"data_loss", 500},
    {"unauthenticated", 401},
};

const Code& CodeOf(grpc::StatusCode code) {
  const bool known = code >= 0 && code < static_cast<int>(std::size(kCodes));
  return kCodes[known ? code : grpc::StatusCode::UNKNOWN];
}

// Empty where there are no details.
google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status carried;
  if (!carried.ParseFromString(status.error_details())) carried.Clear();
  return carried;
}

// The detail for people, if its type is compiled in; null otherwise.
Json Debug(const google::protobuf::Any& any) {
  const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
      any.type_url().substr(any.type_url().rfind('/') + 1));
  if (type == nullptr) return nullptr;
  const std::unique_ptr<google::protobuf::Message> detail(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  std::string text;
  if (!detail->ParseFromString(any.value()) ||
      !google::protobuf::util::MessageToJsonString(*detail, &text).ok()) {
    return nullptr;
  }
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json Error(const grpc::Status& status) {
  Json error = {{"code", std::string(CodeName(status.error_code()))},
                {"message", status.error_message()}};
  // Named: the details live in it.
  const google::rpc::Status carried = DetailsOf(status);
  for (const google::protobuf::Any& any : carried.details()) {
    std::string value = absl::Base64Escape(any.value());
    value.erase(value.find_last_not_of('=') + 1);  // Connect's base64 has no padding
    Json detail = {{"type", any.type_url().substr(any.type_url().rfind('/') + 1)},
                   {"value", value}};
    if (Json debug = Debug(any); debug.is_object()) detail["debug"] = std::move(debug);
    error["details"].push_back(std::move(detail));
  }
  return error;
}

// A message may quote a client's bytes, which need not be UTF-8.
std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

absl::string_view CodeName(grpc::StatusCode code) { return CodeOf(code).name; }

int HttpStatusOf(grpc::StatusCode code) { return CodeOf(code).http_status; }

int64_t RetryAfterSeconds(const grpc::Status& status) {
  constexpr double kLongest_s = 86'400;
  const double delay_s = service::RetryDelayIn(status).value_or(1);
  return static_cast<int64_t>(std::clamp(std::ceil(delay_s), 1.0, kLongest_s));
}

std::string ErrorJson(const grpc::Status& status) { return Text(Error(status)); }

std::string EndOfStreamJson(const grpc::Status& status) {
  return status.ok() ? "{}" : Text(Json{{"error", Error(status)}});
}

}  // namespace cox::gateway
