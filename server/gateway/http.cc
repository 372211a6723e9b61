#include "gateway/http.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gateway/connect_error.h"

namespace cox::gateway {

absl::string_view HttpRequest::Header(absl::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (absl::EqualsIgnoreCase(key, name)) return value;
  }
  return "";
}

namespace {

HttpResponse ResponseWith(int http_status, const grpc::Status& status) {
  HttpResponse response;
  response.status = http_status;
  response.content_type = "application/json";
  response.body = ErrorJson(status);
  if (http_status == 429 || http_status == 503) {
    response.headers.emplace_back("Retry-After", absl::StrCat(RetryAfterSeconds(status)));
  }
  return response;
}

}  // namespace

HttpResponse ErrorResponse(const grpc::Status& status) {
  return ResponseWith(HttpStatusOf(status.error_code()), status);
}

HttpResponse ErrorResponse(int http_status, grpc::StatusCode code, const std::string& message) {
  return ResponseWith(http_status, grpc::Status(code, message));
}

}  // namespace cox::gateway
