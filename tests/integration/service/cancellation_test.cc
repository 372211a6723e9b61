// A call that its client has given up ends soon, and frees the thread that it ran on.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

using ::grpc::StatusCode;
using std::chrono::seconds;
using std::chrono::system_clock;

class Cancellation : public ::testing::Test {
 protected:
  Cancellation() {
    daemon_.Register("delta", 4'096, 16);
    daemon_.SetProfile("delta", {{"hockney", "node", "alpha", 5e-7},
                                 {"hockney", "node", "beta", 1e-10},
                                 {"hockney", "network", "alpha", 3e-6},
                                 {"hockney", "network", "beta", 4e-10}});
  }

  // `ask` takes more than ten seconds. Its client gives up after a second, twice at the same time:
  // as many as there are threads for long calls. Then another call needs such a thread.
  void ExpectFreesItsThread(const std::function<grpc::Status(grpc::ClientContext*)>& ask) {
    std::vector<std::thread> clients;
    for (int i = 0; i < 2; ++i) {
      clients.emplace_back([&ask] {
        grpc::ClientContext context;
        context.set_deadline(system_clock::now() + seconds(1));
        const grpc::Status status = ask(&context);
        EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED) << status.error_message();
      });
    }
    for (std::thread& client : clients) client.join();
    grpc::ClientContext context;
    context.set_deadline(system_clock::now() + seconds(8));
    v1::CountObservationsResponse response;
    const grpc::Status status = daemon_.Observations()->CountObservations(
        &context, v1::CountObservationsRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  Daemon daemon_;
};

TEST_F(Cancellation, OfAPattern) {
  ExpectFreesItsThread([this](grpc::ClientContext* context) {
    v1::EvaluatePatternResponse response;
    const auto stub = daemon_.Advice();
    const auto writer = stub->EvaluatePattern(context, &response);
    v1::EvaluatePatternRequest request;
    request.mutable_header()->set_machine("delta");
    request.mutable_header()->set_pattern("all-to-all");
    request.mutable_header()->set_ranks(800);
    request.mutable_header()->set_block_bytes(8);
    for (int i = 0; i < 16; ++i) request.mutable_header()->add_routes("hypercube");
    writer->Write(request);
    writer->WritesDone();
    return writer->Finish();
  });
}

TEST_F(Cancellation, OfSuggestions) {
  v1::SuggestMeasurementsRequest request;
  request.set_machine("delta");
  request.set_library("somebodys-mpi-1.0");
  request.set_count(1'000);
  for (int i = 0; i < 20'000; ++i) {
    v1::MeasurementCandidate* const candidate = request.add_candidates();
    candidate->set_collective("alltoall");
    candidate->set_algorithm("direct");
    candidate->set_nodes(8);
    candidate->set_ppn(4);
    candidate->set_ranks(32);
    candidate->set_block_bytes(4 * (1 + i));
  }
  ExpectFreesItsThread([&](grpc::ClientContext* context) {
    v1::SuggestMeasurementsResponse response;
    return daemon_.Advice()->SuggestMeasurements(context, request, &response);
  });
}

}  // namespace
}  // namespace cox
