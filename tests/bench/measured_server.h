// A daemon in this process that knows the measured machine, and a connection to it.
#ifndef COX_TESTS_BENCH_MEASURED_SERVER_H_
#define COX_TESTS_BENCH_MEASURED_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "measured_machine.h"
#include "scratch_directory.h"
#include "service/entry/deadlock_search.h"
#include "service/server.h"

namespace cox::bench {

// Serves the daemon's own services and `floor` on a free port of loopback, until it is destroyed;
// `floor` (null: none) must outlive it. Ends the program where it cannot.
class MeasuredServer {
 public:
  explicit MeasuredServer(
      grpc::Service* floor,
      std::unique_ptr<service::Server::InterceptorFactory> interceptor = nullptr) {
    service::StopDeadlockSearch();  // as coxd does
    const auto config = daemon::MakeConfig(
        {{{"data", directory_.path()}, {"listen", "127.0.0.1:0"}, {"log-level", "error"}}});
    std::vector<grpc::Service*> extra_services;
    if (floor != nullptr) extra_services.push_back(floor);
    auto server = service::Server::Start(*config, extra_services, std::move(interceptor));
    if (!server.ok()) {
      std::fprintf(stderr, "%s\n", server.status().ToString().c_str());
      std::exit(1);
    }
    server_ = *std::move(server);
    channel_ = grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials());
    FillMachine(channel_);
  }

  service::Server& server() const { return *server_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  const ScratchDirectory directory_;
  std::unique_ptr<service::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_MEASURED_SERVER_H_
