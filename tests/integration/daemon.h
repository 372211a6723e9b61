// A daemon in this process, on a free loopback port and a directory of its own, with clients for
// all its services.
#ifndef COX_TESTS_INTEGRATION_DAEMON_H_
#define COX_TESTS_INTEGRATION_DAEMON_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cox/v1/advice.grpc.pb.h"
#include "cox/v1/calibration.grpc.pb.h"
#include "cox/v1/history.grpc.pb.h"
#include "cox/v1/machine.grpc.pb.h"
#include "cox/v1/model.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "daemon/config.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "service/server.h"

namespace cox {

// A directory that goes away with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string path = ::testing::TempDir() + "/cox-XXXXXX";
    path_ = mkdtemp(path.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Daemon {
 public:
  // `settings` override the test's defaults: a free port, refinement at once.
  explicit Daemon(daemon::ConfigValues settings = {}) : settings_(std::move(settings)) { Start(); }

  void Start() {
    const auto config = daemon::MakeConfig({settings_,
                                            {{"data", directory_.path()},
                                             {"listen", "127.0.0.1:0"},
                                             {"refine-interval", "0s"},
                                             {"published-machines", "false"},
                                             {"drain-timeout", "5s"}}});
    ASSERT_TRUE(config.ok()) << config.status();
    auto server = service::Server::Start(*config);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel_ = grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(),
                                         arguments);
  }
  void Stop() { server_.reset(); }
  // For the next Start().
  void Set(const std::string& key, const std::string& value) { settings_[key] = value; }

  service::Server& server() { return *server_; }
  std::string DatabasePath() const { return directory_.path() + "/coxswain.db"; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  auto Machines() const { return v1::MachineService::NewStub(channel_); }
  auto Profiles() const { return v1::ProfileService::NewStub(channel_); }
  auto Calibrations() const { return v1::CalibrationService::NewStub(channel_); }
  auto Models() const { return v1::ModelService::NewStub(channel_); }
  auto Advice() const { return v1::AdviceService::NewStub(channel_); }
  auto Observations() const { return v1::ObservationService::NewStub(channel_); }
  auto History() const { return v1::HistoryService::NewStub(channel_); }

  // Registers a machine of this shape.
  void Register(const std::string& name, int64_t nodes = 4, int64_t cores_per_node = 8) {
    v1::CreateMachineRequest request;
    request.mutable_machine()->set_name(absl::StrCat("machines/", name));
    request.mutable_machine()->set_nodes(nodes);
    request.mutable_machine()->set_cores_per_node(cores_per_node);
    grpc::ClientContext context;
    v1::Machine response;
    const grpc::Status status = Machines()->CreateMachine(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  // Gives a machine a profile of these parameters.
  struct Parameter {
    const char* model;
    const char* level;
    const char* name;
    double value;
  };
  void SetProfile(const std::string& machine, const std::vector<Parameter>& parameters) {
    v1::CreateProfileRequest request;
    request.set_parent(absl::StrCat("machines/", machine));
    for (const Parameter& given : parameters) {
      v1::Parameter* parameter = request.mutable_profile()->add_parameters();
      parameter->set_model(given.model);
      parameter->set_level(given.level);
      parameter->set_name(given.name);
      parameter->set_value(given.value);
    }
    grpc::ClientContext context;
    v1::Profile response;
    const grpc::Status status = Profiles()->CreateProfile(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

 private:
  TemporaryDirectory directory_;
  daemon::ConfigValues settings_;
  std::unique_ptr<service::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

// Calls a unary method: Call(&Stub::Method, stub, request, &response).
template <typename Stub, typename Request, typename Response>
grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const std::unique_ptr<Stub>& stub, const Request& request, Response* response) {
  grpc::ClientContext context;
  return ((*stub).*method)(&context, request, response);
}

// The field that the error's BadRequest detail names; "" if there is none.
inline std::string FieldOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return "";
  for (const auto& any : details.details()) {
    google::rpc::BadRequest bad_request;
    if (any.UnpackTo(&bad_request) && bad_request.field_violations_size() > 0) {
      return bad_request.field_violations(0).field();
    }
  }
  return "";
}

// A valid observation of `machine`, a function of `index`.
inline v1::Observation MakeObservation(const std::string& machine, int index) {
  v1::Observation observation;
  observation.set_machine(machine);
  observation.set_library("openmpi-4.1");
  observation.set_collective("allreduce");
  observation.set_algorithm("recursive_doubling");
  observation.set_nodes(2);
  observation.set_ppn(8);
  observation.set_ranks(16);
  observation.set_block_bytes(int64_t{8} << (index % 16));
  observation.set_time_s(1e-5 * (1 + index % 7));
  return observation;
}

// The daemon's prediction for an observation; 0, and a failed test, if it has none.
inline double PredictedTime(const std::unique_ptr<v1::AdviceService::Stub>& stub,
                            const v1::Observation& cell) {
  v1::RecommendRequest request;
  request.set_machine(cell.machine());
  request.set_library(cell.library());
  request.set_collective(cell.collective());
  request.set_nodes(cell.nodes());
  request.set_ppn(cell.ppn());
  request.set_ranks(cell.ranks());
  request.set_block_bytes(cell.block_bytes());
  request.add_candidates(cell.algorithm());
  request.set_include_alternatives(true);
  request.set_assume_commutative(true);
  v1::RecommendResponse response;
  const grpc::Status status = Call(&v1::AdviceService::Stub::Recommend, stub, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  for (const v1::Alternative& alternative : response.alternatives()) {
    if (alternative.algorithm() == cell.algorithm()) return alternative.predicted_time_s();
  }
  ADD_FAILURE() << "no prediction of " << cell.algorithm();
  return 0;
}

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_DAEMON_H_
