// A daemon in this process that answers as a test tells it, for what a real one cannot be made to
// do.
#ifndef COX_TESTS_UNIT_CLI_FAKE_DAEMON_H_
#define COX_TESTS_UNIT_CLI_FAKE_DAEMON_H_

#include <cox/v1/advice.grpc.pb.h>
#include <cox/v1/observation.grpc.pb.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "folder.h"

namespace cox::cli {

class FakeDaemon {
 public:
  FakeDaemon() : address_("unix:" + folder_.Path("socket")) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterService(&observations_);
    builder.RegisterService(&advice_);
    server_ = builder.BuildAndStart();
  }
  ~FakeDaemon() { server_->Shutdown(); }
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;

  const std::string& address() const { return address_; }
  const Folder& folder() const { return folder_; }

  // What ReportObservations answers to its n-th call; OK where it is not set.
  std::function<grpc::Status(int)> on_report = [](int) { return grpc::Status::OK; };
  std::vector<v1::ReportObservationsRequest> reports;
  int64_t refused_count = 0;  // rows that it refuses of each report

  std::function<grpc::Status(const v1::BatchRecommendRequest&, v1::BatchRecommendResponse*)>
      on_batch;

  // What GetTuning answers, and what it was asked last.
  v1::GetTuningResponse tuning;
  v1::GetTuningRequest tuning_asked;

  v1::ForgetObservationsResponse forgotten;  // what ForgetObservations answers
  double forget_patience_s = 0;              // how long its last caller would have waited

 private:
  class Observations final : public v1::ObservationService::Service {
   public:
    explicit Observations(FakeDaemon* daemon) : daemon_(daemon) {}
    grpc::Status ReportObservations(grpc::ServerContext*,
                                    const v1::ReportObservationsRequest* request,
                                    v1::ReportObservationsResponse* response) override {
      daemon_->reports.push_back(*request);
      response->set_stored_count(request->observations_size() - daemon_->refused_count);
      response->set_refused_count(daemon_->refused_count);
      if (daemon_->refused_count > 0) response->set_refused_reason("the machine is full");
      return daemon_->on_report(static_cast<int>(daemon_->reports.size()));
    }
    grpc::Status ForgetObservations(grpc::ServerContext* context,
                                    const v1::ForgetObservationsRequest*,
                                    v1::ForgetObservationsResponse* response) override {
      const std::chrono::duration<double> patience =
          context->deadline() - std::chrono::system_clock::now();
      daemon_->forget_patience_s = patience.count();
      *response = daemon_->forgotten;
      return grpc::Status::OK;
    }

   private:
    FakeDaemon* daemon_;
  };

  class Advice final : public v1::AdviceService::Service {
   public:
    explicit Advice(FakeDaemon* daemon) : daemon_(daemon) {}
    grpc::Status BatchRecommend(grpc::ServerContext*, const v1::BatchRecommendRequest* request,
                                v1::BatchRecommendResponse* response) override {
      return daemon_->on_batch(*request, response);
    }
    grpc::Status GetTuning(grpc::ServerContext*, const v1::GetTuningRequest* request,
                           v1::GetTuningResponse* response) override {
      daemon_->tuning_asked = *request;
      *response = daemon_->tuning;
      return grpc::Status::OK;
    }

   private:
    FakeDaemon* daemon_;
  };

  Folder folder_;
  std::string address_;
  Observations observations_{this};
  Advice advice_{this};
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace cox::cli

#endif  // COX_TESTS_UNIT_CLI_FAKE_DAEMON_H_
