// An MPI program that uses gRPC and Protocol Buffers itself, with this project's own message types:
// the worst case for an agent that would bring the same libraries into the process. Its rank 0 even
// is the server that the agent streams to.
//
// usage: own_protobuf SOCKET CALLS
// Rank 0 prints "observed TIMINGS": what the agents sent, waiting for 2 x CALLS of them at most 20
// s.
#include <grpcpp/grpcpp.h>
#include <mpi.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "cox/v1/observation.grpc.pb.h"

namespace {

class Service : public cox::v1::ObservationService::Service {
 public:
  using Stream = grpc::ServerReaderWriter<cox::v1::StreamObservationsResponse,
                                          cox::v1::StreamObservationsRequest>;
  grpc::Status StreamObservations(grpc::ServerContext*, Stream* stream) override {
    cox::v1::StreamObservationsRequest request;
    while (stream->Read(&request)) {
      cox::v1::StreamObservationsResponse response;
      response.set_sequence(request.batch().sequence());
      if (!stream->Write(response)) break;
      std::lock_guard lock(mutex_);
      for (const auto& observation : request.batch().observations()) count_ += observation.count();
      changed_.notify_all();
    }
    return grpc::Status::OK;
  }
  long WaitFor(long count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return count_ >= count; });
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  long count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int calls = std::atoi(argv[2]);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Service service;
  std::unique_ptr<grpc::Server> server;
  if (rank == 0) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(std::string("unix:") + argv[1], grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    server = builder.BuildAndStart();
  }
  for (int i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int go_on = 1;
  if (rank == 0) {
    std::printf("observed %ld\n", service.WaitFor(2L * calls));
    server->Shutdown(std::chrono::system_clock::now());
    MPI_Send(&go_on, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&go_on, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
