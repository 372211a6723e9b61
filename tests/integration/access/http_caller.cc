#include "http_caller.h"

#include <httplib.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/connect_envelope.h"
#include "gateway/method.h"

namespace cox {
namespace {

using nlohmann::json;

// "permission_denied" -> PERMISSION_DENIED.
grpc::StatusCode CodeOf(const std::string& name) {
  static constexpr std::pair<const char*, grpc::StatusCode> kCodes[] = {
      {"invalid_argument", grpc::StatusCode::INVALID_ARGUMENT},
      {"not_found", grpc::StatusCode::NOT_FOUND},
      {"permission_denied", grpc::StatusCode::PERMISSION_DENIED},
      {"unauthenticated", grpc::StatusCode::UNAUTHENTICATED},
      {"unavailable", grpc::StatusCode::UNAVAILABLE},
      {"resource_exhausted", grpc::StatusCode::RESOURCE_EXHAUSTED},
  };
  for (const auto& [known, code] : kCodes) {
    if (name == known) return code;
  }
  return grpc::StatusCode::UNKNOWN;
}

grpc::Status StatusOf(const json& error) {
  if (!error.is_object() || !error.contains("code")) return grpc::Status::OK;
  return {CodeOf(error["code"]), error.value("message", "")};
}

// Of the envelope that ends a stream.
grpc::Status EndOf(const std::string& body) {
  constexpr size_t kHead = 5;
  for (size_t at = 0; at + kHead <= body.size();) {
    size_t size = 0;
    for (size_t i = 1; i < kHead; ++i) size = size * 256 + static_cast<unsigned char>(body[at + i]);
    if (body[at] == gateway::kEndOfStreamFlag) {
      return StatusOf(json::parse(body.substr(at + kHead, size)).value("error", json()));
    }
    at += kHead + size;
  }
  return {grpc::StatusCode::UNKNOWN, "the stream has no end"};
}

}  // namespace

HttpCaller::HttpCaller(const std::string& address, const std::string& ca_path)
    : client_(std::make_unique<httplib::Client>(
          absl::StrCat(ca_path.empty() ? "http://" : "https://", address))) {
  client_->set_keep_alive(true);
  client_->set_tcp_nodelay(true);  // else each call waits for a delayed acknowledgement
  client_->set_read_timeout(20);
  if (!ca_path.empty()) client_->set_ca_cert_path(ca_path.c_str());
}

HttpCaller::~HttpCaller() = default;

std::string HttpCaller::Get(const std::string& path, const std::string& authorization) const {
  const httplib::Result result = client_->Get(path, {{"Authorization", authorization}});
  return result && result->status == 200 ? result->body : "";
}

grpc::Status HttpCaller::Call(absl::string_view method,
                              const std::optional<std::string>& authorization,
                              std::string* answer) const {
  const std::string path = absl::StrCat("/", method);
  const google::protobuf::MethodDescriptor* const description = gateway::FindMethod(path);
  const bool is_stream = description->client_streaming() || description->server_streaming();
  httplib::Headers headers;
  if (authorization) headers.emplace("Authorization", *authorization);
  const httplib::Result result = client_->Post(
      path, headers, is_stream ? gateway::Envelope(gateway::kMessageFlags, "{}") : "{}",
      is_stream ? "application/connect+json" : "application/json");
  if (!result) return {grpc::StatusCode::UNAVAILABLE, httplib::to_string(result.error())};
  if (answer != nullptr) *answer += result->body;
  if (result->status != 200) return StatusOf(json::parse(result->body));
  return is_stream ? EndOf(result->body) : grpc::Status::OK;
}

}  // namespace cox
