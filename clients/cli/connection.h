// The way to the daemon: one channel, a deadline for every call, patience with a daemon that asks
// for it. Connects when first used. Not thread-safe. Failures are absl::Status with messages for
// people.
#ifndef COX_CLI_CONNECTION_H_
#define COX_CLI_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cli/exit_code.h"

namespace cox::cli {

class Connection {
 public:
  static constexpr double kUsualTimeout_s = 10;

  // `server` is HOST:PORT or unix:PATH. `timeout_s` bounds one call with all its retries; 0: no
  // bound; absent: kUsualTimeout_s, more where a call is known to take longer.
  Connection(std::string server, std::optional<double> timeout_s);

  const std::string& server() const { return server_; }
  double timeout_s() const { return timeout_s_; }
  // For what is allowed to take longer (fitting a calibration). No effect on a timeout that was
  // given.
  void AllowAtLeast(double timeout_s);

  const std::shared_ptr<grpc::Channel>& channel();

  // Connects now. UNAVAILABLE or DEADLINE_EXCEEDED when that fails within the timeout.
  absl::Status Connect();

  // One unary call: Call<MachineService>(&MachineService::Stub::GetMachine, request, response).
  template <typename Service, typename Request, typename Response>
  absl::Status Call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&,
                                                          Response*),
                    const Request& request, Response& response) {
    typename Service::Stub stub(channel());
    return Retried([&](grpc::ClientContext& context) {
      response.Clear();
      return (stub.*method)(&context, request, &response);
    });
  }

  // One call that sends many requests: CallWithStream<AdviceService>(&Stub::EvaluatePattern, ...).
  template <typename Service, typename Request, typename Response>
  absl::Status CallWithStream(std::unique_ptr<grpc::ClientWriter<Request>> (Service::Stub::*method)(
                                  grpc::ClientContext*, Response*),
                              const std::vector<Request>& requests, Response& response) {
    typename Service::Stub stub(channel());
    return Retried([&](grpc::ClientContext& context) {
      response.Clear();
      const auto writer = (stub.*method)(&context, &response);
      for (const Request& request : requests) {
        // The daemon has ended the stream: Finish() says why.
        if (!writer->Write(request)) break;
      }
      writer->WritesDone();
      return writer->Finish();
    });
  }

 private:
  using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

  // Runs `attempt` again after RESOURCE_EXHAUSTED, when the daemon says and while the timeout
  // lasts.
  absl::Status Retried(const Attempt& attempt);

  std::string server_;
  bool timeout_given_;
  double timeout_s_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace cox::cli

#endif  // COX_CLI_CONNECTION_H_
