// Observations over the wire, accepted and durable: rows per second from the first batch to the
// last acknowledgement, against a bare SQLite loop that only inserts the same number of rows.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bare_sqlite.h"
#include "bench_line.h"
#include "cox/v1/observation.grpc.pb.h"
#include "measured_machine.h"
#include "scratch_directory.h"
#include "service/server.h"

namespace cox::bench {
namespace {

constexpr int kRows = 200'000;
constexpr int kRowsPerBatch = 1'000;
constexpr int kRounds = 7;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

double WireRate(const std::vector<v1::StreamObservationsRequest>& requests) {
  const ScratchDirectory directory;
  const auto config = daemon::MakeConfig(
      {{{"data", directory.path()}, {"listen", "127.0.0.1:0"}, {"log-level", "error"}}});
  auto server = service::Server::Start(*config);
  if (!server.ok()) Fail(server.status().ToString());
  const auto stub = v1::ObservationService::NewStub(
      grpc::CreateChannel((*server)->address(), grpc::InsecureChannelCredentials()));
  {
    // Registers the machine, and connects.
    v1::ReportObservationsRequest first;
    first.set_create_machines(true);
    *first.add_observations() = MakeObservation(0);
    grpc::ClientContext context;
    v1::ReportObservationsResponse response;
    const grpc::Status status = stub->ReportObservations(&context, first, &response);
    if (!status.ok()) Fail(status.error_message());
  }
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  const auto start = std::chrono::steady_clock::now();
  std::thread writer([&] {
    for (const v1::StreamObservationsRequest& request : requests) {
      if (!stream->Write(request)) return;
    }
    stream->WritesDone();
  });
  v1::StreamObservationsResponse response;
  int64_t stored = 0;
  while (stream->Read(&response)) {
    if (response.error_code() != 0) Fail(response.error_message());
    stored += response.result().stored_count();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  writer.join();
  const grpc::Status status = stream->Finish();
  if (!status.ok()) Fail(status.error_message());
  if (stored != kRows) Fail("rows are missing");
  return kRows / elapsed.count();
}

int Main() {
  std::vector<v1::StreamObservationsRequest> requests;
  std::vector<store::ObservationRecord> rows;
  for (int i = 0; i < kRows; ++i) {
    if (i % kRowsPerBatch == 0) {
      requests.emplace_back();
      requests.back().mutable_batch()->set_job("job");
      requests.back().mutable_batch()->set_sequence(i / kRowsPerBatch);
    }
    const v1::Observation observation = MakeObservation(i % kScenarioCount);
    *requests.back().mutable_batch()->add_observations() = observation;
    store::ObservationRecord row;
    row.time_s = observation.time_s();
    row.at_us = 1'700'000'000'000'000 + i;
    rows.push_back(std::move(row));
  }
  std::vector<double> wire_hz;
  std::vector<double> bare_hz;
  for (int round = 0; round < kRounds; ++round) {
    const ScratchDirectory directory;
    bare_hz.push_back(BareSqliteRate(directory.path() + "/bare.db", rows, kScenarioCount));
    wire_hz.push_back(WireRate(requests));
  }
  PrintAtLeast("observations durable over the wire (rows/s)", Median(wire_hz), Median(bare_hz),
               0.8);
  return 0;
}

}  // namespace
}  // namespace cox::bench

int main() { return cox::bench::Main(); }
