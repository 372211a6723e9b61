#include "measured_machine.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "cox/v1/machine.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"

namespace cox::bench {
namespace {

struct CollectiveAlgorithms {
  const char* collective;
  const char* algorithms[5];
};
constexpr CollectiveAlgorithms kCollectives[] = {
    {"alltoall", {"default", "linear", "pairwise", "modified_bruck", "linear_sync"}},
    {"bcast", {"default", "binomial", "chain", "pipeline", "scatter_allgather"}},
    {"allreduce", {"default", "recursive_doubling", "ring", "rabenseifner", "nonoverlapping"}},
    {"allgather", {"default", "ring", "recursive_doubling", "bruck", "neighbor"}},
};
constexpr int kCollectiveCount = 4;
constexpr int kAlgorithmCount = 5;
constexpr int kSizeCount = 20;  // 4 bytes .. 2 MiB
constexpr int kNodeCounts = 5;  // 1 .. 16

void Check(const grpc::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "the daemon refused: %s\n", status.error_message().c_str());
  std::exit(1);
}

}  // namespace

v1::Observation MakeObservation(int64_t index) {
  int64_t rest = index;
  const auto take = [&rest](int64_t count) {
    const int64_t digit = rest % count;
    rest /= count;
    return digit;
  };
  const CollectiveAlgorithms& row = kCollectives[take(kCollectiveCount)];
  const int64_t algorithm = take(kAlgorithmCount);
  v1::Observation observation;
  observation.set_machine("site");
  observation.set_library("openmpi-4.1");
  observation.set_collective(row.collective);
  observation.set_algorithm(row.algorithms[algorithm]);
  observation.set_block_bytes(int64_t{4} << take(kSizeCount));
  observation.set_nodes(int64_t{1} << take(kNodeCounts));
  observation.set_ppn(32);
  observation.set_ranks(observation.nodes() * 32);
  const double rounds = std::log2(static_cast<double>(observation.ranks()));
  observation.set_time_s((1 + 0.1 * static_cast<double>(algorithm)) * rounds *
                         (2e-6 + 1e-9 * static_cast<double>(observation.block_bytes())));
  return observation;
}

v1::RecommendRequest MakeQuestion(int64_t index) {
  const v1::Observation observation = MakeObservation(index);
  v1::RecommendRequest question;
  question.set_machine("site");
  question.set_library("openmpi-4.1");
  question.set_collective(observation.collective());
  question.set_nodes(observation.nodes());
  question.set_ppn(observation.ppn());
  question.set_ranks(observation.ranks());
  question.set_block_bytes(observation.block_bytes() * 3 / 2);
  return question;
}

void FillMachine(const std::shared_ptr<grpc::Channel>& channel) {
  {
    v1::CreateMachineRequest request;
    request.mutable_machine()->set_name("machines/site");
    request.mutable_machine()->set_nodes(1024);
    request.mutable_machine()->set_cores_per_node(32);
    grpc::ClientContext context;
    v1::Machine machine;
    Check(v1::MachineService::NewStub(channel)->CreateMachine(&context, request, &machine));
  }
  {
    v1::CreateProfileRequest request;
    request.set_parent("machines/site");
    const std::tuple<const char*, const char*, double> parameters[] = {{"node", "alpha", 5e-7},
                                                                       {"node", "beta", 1e-10},
                                                                       {"network", "alpha", 2e-6},
                                                                       {"network", "beta", 1e-9}};
    for (const auto& [level, name, value] : parameters) {
      v1::Parameter* parameter = request.mutable_profile()->add_parameters();
      parameter->set_model("hockney");
      parameter->set_level(level);
      parameter->set_name(name);
      parameter->set_value(value);
    }
    grpc::ClientContext context;
    v1::Profile profile;
    Check(v1::ProfileService::NewStub(channel)->CreateProfile(&context, request, &profile));
  }
  v1::ReportObservationsRequest request;
  request.set_await_learning(true);
  for (int i = 0; i < kScenarioCount; ++i) *request.add_observations() = MakeObservation(i);
  grpc::ClientContext context;
  v1::ReportObservationsResponse response;
  Check(v1::ObservationService::NewStub(channel)->ReportObservations(&context, request, &response));
}

}  // namespace cox::bench
