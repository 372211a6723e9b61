#include "gateway/head_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "daemon/host/listen_address.h"
#include "gateway/codec.h"

namespace cox::gateway {
namespace {

constexpr size_t kMaxPathBytes = 256;  // the longest path that is served is shorter
constexpr absl::string_view kMarksOfTokens = "!#$%&'*+-.^_`|~";

// Names have no case (RFC 3986, 3.2.2).
bool NamesThisHost(const std::string& host) {
  if (absl::StartsWith(host, "unix")) return false;
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string::npos && !absl::EndsWith(host, "]");
  return daemon::CheckLocalAddress(
             absl::StrCat(absl::string_view(host).substr(0, has_port ? colon : host.size()), ":0"),
             "host")
      .ok();
}

size_t CountOf(const HttpRequest& request, absl::string_view name) {
  return std::count_if(request.headers.begin(), request.headers.end(), [name](const auto& header) {
    return absl::EqualsIgnoreCase(header.first, name);
  });
}

// token of RFC 9110, 5.6.2. A proxy may read "Transfer-Encoding : chunked" in another way than we,
// and then take the rest of the body for a request.
bool IsToken(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains(kMarksOfTokens, c);
  });
}

}  // namespace

std::optional<HttpResponse> CheckHead(const HttpRequest& request, int64_t max_body_bytes) {
  using grpc::StatusCode;
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    HttpResponse refusal = ErrorResponse(405, StatusCode::UNIMPLEMENTED,
                                         "request: the method must be GET, HEAD or POST");
    refusal.headers.emplace_back("Allow", "GET, HEAD, POST");
    return refusal;
  }
  if (!std::all_of(request.headers.begin(), request.headers.end(),
                   [](const auto& header) { return IsToken(header.first); })) {
    return ErrorResponse(400, StatusCode::INVALID_ARGUMENT,
                         "request: the name of a header has characters that are not allowed");
  }
  if (request.path.size() > kMaxPathBytes) {
    return ErrorResponse(
        414, StatusCode::INVALID_ARGUMENT,
        absl::StrCat("request: the path is longer than ", kMaxPathBytes, " bytes"));
  }
  if (CountOf(request, "host") != 1 ||
      (!request.is_encrypted && !NamesThisHost(absl::AsciiStrToLower(request.Header("host"))))) {
    return ErrorResponse(421, StatusCode::PERMISSION_DENIED,
                         "request: the Host header must be localhost, 127.0.0.1 or [::1]");
  }
  const absl::string_view coding = request.Header("content-encoding");
  if (!coding.empty() && coding != "identity") {
    return ErrorResponse(415, StatusCode::UNIMPLEMENTED,
                         "request: compressed bodies are not supported; send it as it is");
  }
  const bool has_body = request.method == "POST";
  if (has_body && !ParseContentType(request.Header("content-type"))) {
    HttpResponse refusal = ErrorResponse(
        415, StatusCode::UNIMPLEMENTED,
        "request: the Content-Type must be application/json or application/proto; for a stream "
        "application/connect+json or application/connect+proto");
    refusal.headers.emplace_back("Accept-Post", "application/json, application/proto");
    return refusal;
  }
  const size_t lengths = CountOf(request, "content-length");
  const size_t transfers = CountOf(request, "transfer-encoding");
  int64_t length = 0;
  const bool chunked = absl::EqualsIgnoreCase(request.Header("transfer-encoding"), "chunked");
  if (lengths + transfers > 1 || (transfers == 1 && !chunked) ||
      (lengths == 1 &&
       (!absl::SimpleAtoi(request.Header("content-length"), &length) || length < 0))) {
    return ErrorResponse(400, StatusCode::INVALID_ARGUMENT,
                         "request: the body must have one Content-Length, or be chunked");
  }
  // Without either the body is empty (RFC 9112, 6.3), but the transport would wait for one, and
  // take the next request for it.
  if (has_body && lengths + transfers == 0) {
    return ErrorResponse(411, StatusCode::INVALID_ARGUMENT,
                         "request: a POST must have a Content-Length, or be chunked");
  }
  if (!has_body && (length > 0 || chunked)) {
    return ErrorResponse(400, StatusCode::INVALID_ARGUMENT, "request: only POST may have a body");
  }
  if (length > max_body_bytes) {
    return ErrorResponse(
        413, StatusCode::RESOURCE_EXHAUSTED,
        absl::StrCat("request: the body may have at most ", max_body_bytes, " bytes; it has ",
                     length,
                     ". Ask in smaller batches, or start coxd with a larger --max-message"));
  }
  return std::nullopt;
}

}  // namespace cox::gateway
