// Calls methods of the API over HTTP, as a client of any of the daemon's methods does.
#ifndef COX_TESTS_INTEGRATION_HTTP_CALLER_H_
#define COX_TESTS_INTEGRATION_HTTP_CALLER_H_

#include <grpcpp/support/status.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace httplib {
class Client;
}

namespace cox {

class HttpCaller {
 public:
  // `address`: "127.0.0.1:PORT". `ca_path`: in PEM, vouches for the daemon; "": no TLS.
  HttpCaller(const std::string& address, const std::string& ca_path);
  ~HttpCaller();
  HttpCaller(const HttpCaller&) = delete;
  HttpCaller& operator=(const HttpCaller&) = delete;

  // Calls a method ("cox.v1.AdviceService/Recommend") of any kind with one empty message, and reads
  // its answer to the end. UNAVAILABLE: there is no connection. `answer`: what came; may be null.
  // `authorization`: the header, which may be empty; nullopt: none.
  grpc::Status Call(absl::string_view method, const std::optional<std::string>& authorization,
                    std::string* answer = nullptr) const;
  // The body of a page, such as "/metrics"; "" unless the daemon gives it.
  std::string Get(const std::string& path, const std::string& authorization) const;

 private:
  const std::unique_ptr<httplib::Client> client_;  // keeps its connection
};

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_HTTP_CALLER_H_
