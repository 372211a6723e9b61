// A request and a response of HTTP, as the gateway sees them.
#ifndef COX_GATEWAY_HTTP_H_
#define COX_GATEWAY_HTTP_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace cox::gateway {

// The header in which the transport passes Accept-Encoding on.
inline constexpr const char* kAcceptedCodings = "Cox-Accept-Encoding";

// Points into the connection's memory: valid while the request is answered.
struct HttpRequest {
  absl::string_view method;  // "POST"
  absl::string_view path;    // without the query
  std::vector<std::pair<absl::string_view, absl::string_view>> headers;
  absl::string_view body;
  bool is_encrypted = false;  // came over TLS
  // Whether its client still waits; null: nobody knows.
  std::function<bool()> is_client_there = nullptr;

  // The first value of a header, in any case of letters; "" without one.
  absl::string_view Header(absl::string_view name) const;
};

// A body that comes piece by piece.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Waits for the next piece, at most `patience`. An empty piece means that there is none yet.
  // False for the last piece.
  virtual bool Next(std::chrono::milliseconds patience, std::string* piece) = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::string body;
  std::shared_ptr<BodyStream> stream;  // if set: the body
  std::vector<std::pair<std::string, std::string>> headers;
};

// The response to an error: its JSON, and Retry-After if a later attempt can help.
HttpResponse ErrorResponse(const grpc::Status& status);
// The same with an HTTP status other than the code's.
HttpResponse ErrorResponse(int http_status, grpc::StatusCode code, const std::string& message);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_HTTP_H_
