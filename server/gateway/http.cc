#include "gateway/http.h"

#include "absl/strings/match.h"
#include "gateway/connect_error.h"

namespace cox::gateway {

absl::string_view HttpRequest::Header(absl::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (absl::EqualsIgnoreCase(key, name)) return value;
  }
  return "";
}

HttpResponse ErrorResponse(const grpc::Status& status) {
  HttpResponse response;
  response.status = HttpStatusOf(status.error_code());
  response.content_type = "application/json";
  response.body = ErrorJson(status);
  // In whole seconds: that is all that the header can say.
  if (response.status == 429 || response.status == 503) {
    response.headers.emplace_back("Retry-After", "1");
  }
  return response;
}

HttpResponse ErrorResponse(int http_status, grpc::StatusCode code, const std::string& message) {
  HttpResponse response = ErrorResponse(grpc::Status(code, message));
  response.status = http_status;
  return response;
}

}  // namespace cox::gateway
