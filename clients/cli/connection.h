// The connection to coxd: a deadline per call, retries when coxd asks for them. It connects when
// first used, to one of several daemons if several are named. A question that a daemon does not
// answer because it ends goes to another one; what changes something does not, because it may have
// been done. Not thread-safe. Failures are absl::Status with messages for people. Only
// connection.cc includes gRPC's headers.
#ifndef COX_CLI_CONNECTION_H_
#define COX_CLI_CONNECTION_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/credentials.h"
#include "cli/methods.h"

namespace cox::servers {
class CheckedChannel;
}

namespace google::protobuf {
class MessageLite;
}

namespace grpc {
class Channel;
class ClientContext;
class Status;
}  // namespace grpc

namespace cox::cli {

class Connection {
 public:
  static constexpr double kDefaultTimeout_s = 10;

  // `server` is HOST:PORT, dns:HOST:PORT or unix:PATH, or several of them with commas between them,
  // which are tried in random order. `timeout_s` bounds one call with all its retries; 0: no
  // bound; absent: kDefaultTimeout_s, more where a call is known to take longer.
  // The files of `credentials` are read with the first call, which fails where they are wrong.
  Connection(std::string server, std::optional<double> timeout_s, Credentials credentials = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // INVALID_ARGUMENT unless `server` is such an address or list (servers/server_list.h). Every call
  // with a bad address fails so.
  static absl::Status CheckAddress(absl::string_view server);

  const std::string& server() const { return server_; }
  const Credentials& credentials() const { return credentials_; }
  double timeout_s() const { return timeout_s_; }
  // The version that the daemon stated with its last answer; empty where it stated none.
  const std::string& server_version() const { return server_version_; }
  // Raises the default timeout for a slow call, such as the fit of a calibration. Does not change a
  // timeout that the user gave.
  void AllowAtLeast(double timeout_s);

  // Connects now. UNAVAILABLE or DEADLINE_EXCEEDED when that fails within the timeout.
  absl::Status Connect();

  // One request, one response: Call(kGetMachine, request, response).
  template <class Request, class Response>
  absl::Status Call(const Method<Request, Response>& method, const Request& request,
                    Response& response) {
    return CallOnce(method.path, request, response);
  }

  // Many requests, one response.
  template <class Request, class Response>
  absl::Status CallWithStream(const ClientStreamMethod<Request, Response>& method,
                              const std::vector<Request>& requests, Response& response) {
    std::vector<const google::protobuf::MessageLite*> messages;
    messages.reserve(requests.size());
    for (const Request& request : requests) messages.push_back(&request);
    return SendAll(method.path, messages, response);
  }

  // One request, many responses, without a deadline and without retries: each is read into
  // `response`, then `go_on` is called. OK when it returns false or the daemon ends the stream.
  template <class Request, class Response>
  absl::Status Listen(const ServerStreamMethod<Request, Response>& method, const Request& request,
                      Response& response, const std::function<bool()>& go_on) {
    return ReadAll(method.path, request, response, go_on);
  }

 private:
  using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;
  using MessageLite = google::protobuf::MessageLite;
  using TimePoint = std::chrono::system_clock::time_point;

  // Checks the addresses, reads the credentials and makes the channels, once.
  absl::Status Open();
  // Before each call: sets channel_, unless it is set and still leads to the same socket. Of
  // several daemons, waits for one that accepts. PERMISSION_DENIED: their sockets are not coxd's.
  absl::Status Choose(TimePoint deadline);
  // The next Choose() tries the daemon in use last.
  void Leave();
  // FromRpc() of a call's status.
  absl::Status Told(const grpc::Status& status) const;
  // Says who calls `path`. UNAVAILABLE: munged does not answer.
  absl::Status Sign(const char* path, grpc::ClientContext& context) const;
  absl::Status CallOnce(const char* path, const MessageLite& request, MessageLite& response);
  absl::Status SendAll(const char* path, const std::vector<const MessageLite*>& requests,
                       MessageLite& response);
  absl::Status ReadAll(const char* path, const MessageLite& request, MessageLite& response,
                       const std::function<bool()>& go_on);
  // Runs `attempt`: again after RESOURCE_EXHAUSTED, if the daemon says when and that is soon; and
  // if the method `path` is a question, again with another daemon when this one is away. While the
  // timeout lasts.
  absl::Status Retried(const char* path, const Attempt& attempt);

  std::string server_;
  bool timeout_given_;
  double timeout_s_;
  std::string server_version_;
  Credentials credentials_;
  std::string authorization_;  // empty: none
  // In the order in which they are tried; the one in use is the first.
  std::vector<servers::CheckedChannel> daemons_;
  std::shared_ptr<grpc::Channel> channel_;  // of the daemon in use; null: none yet
};

}  // namespace cox::cli

#endif  // COX_CLI_CONNECTION_H_
