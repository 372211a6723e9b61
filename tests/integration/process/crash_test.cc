// An acknowledged observation survives kill -9, whenever it comes.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "coxd_process.h"
#include "daemon.h"
#include "repeats.h"

namespace cox {
namespace {

constexpr int kCrashBatchRows = 40;

TEST(Crash, NoAcknowledgedRowIsLostAndNoneIsCountedTwice) {
  // While a channel is there, gRPC keeps its threads: ending them takes a second each time.
  const auto keeper = grpc::CreateChannel("unix:/nowhere", grpc::InsecureChannelCredentials());
  TemporaryDirectory directory;
  const std::string socket = directory.path() + "/coxd.sock";
  const std::vector<std::string> arguments = {
      "--data", directory.path() + "/data", "--listen", "unix:" + socket, "--log-level", "error"};
  std::set<int64_t> acknowledged;
  int64_t next_sequence = 1;
  int cut_streams = 0;
  const int kills = Repeats(50);
  for (int round = 0; round < kills; ++round) {
    CoxdProcess coxd(arguments, directory.path() + "/log");
    const auto channel = ConnectUnix(socket, 30);
    ASSERT_NE(channel, nullptr) << coxd.Log();
    const auto stub = v1::ObservationService::NewStub(channel);
    grpc::ClientContext context;
    const auto stream = stub->StreamObservations(&context);
    std::atomic<bool> stop = false;
    // Resends unacknowledged batches before new ones, as an agent does.
    std::thread writer([&] {
      for (int64_t sequence = 1; !stop; ++sequence) {
        if (sequence < next_sequence && acknowledged.contains(sequence)) continue;
        v1::StreamObservationsRequest request;
        request.mutable_batch()->set_job("job");
        request.mutable_batch()->set_sequence(sequence);
        request.mutable_batch()->set_create_machines(true);
        for (int i = 0; i < kCrashBatchRows; ++i) {
          *request.mutable_batch()->add_observations() = MakeObservation("delta", i);
        }
        if (!stream->Write(request)) return;
      }
    });
    // The moment of the kill moves through the stream: after this many acknowledgements, at once or
    // a little later.
    const int answers_until_kill = 1 + (round * 7) % 23;
    std::set<int64_t> newly_acknowledged;
    int answers = 0;
    std::thread killer;
    v1::StreamObservationsResponse response;
    while (stream->Read(&response)) {
      EXPECT_EQ(response.error_code(), 0) << response.error_message();
      newly_acknowledged.insert(response.sequence());
      if (++answers == answers_until_kill) {
        killer = std::thread([&coxd, round] {
          std::this_thread::sleep_for(std::chrono::microseconds(137 * (round % 16)));
          coxd.Signal(SIGKILL);
        });
      }
    }
    stop = true;
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
    writer.join();
    ASSERT_TRUE(killer.joinable()) << "the stream ended before the kill";
    killer.join();
    EXPECT_EQ(coxd.Wait(), 128 + SIGKILL);
    ++cut_streams;
    acknowledged.insert(newly_acknowledged.begin(), newly_acknowledged.end());
    next_sequence = *acknowledged.rbegin() + 1;
  }
  EXPECT_EQ(cut_streams, kills);

  CoxdProcess coxd(arguments, directory.path() + "/log");
  const auto channel = ConnectUnix(socket, 30);
  ASSERT_NE(channel, nullptr) << coxd.Log();
  const auto stub = v1::ObservationService::NewStub(channel);
  // Every acknowledged batch is there already.
  int64_t missing = 0;
  for (const int64_t sequence : acknowledged) {
    v1::ReportObservationsRequest request;
    request.set_job("job");
    request.set_sequence(sequence);
    v1::ReportObservationsResponse response;
    ASSERT_TRUE(
        Call(&v1::ObservationService::Stub::ReportObservations, stub, request, &response).ok());
    if (!response.duplicate()) ++missing;
  }
  EXPECT_EQ(missing, 0) << "of " << acknowledged.size() << " acknowledged batches";
  // Each stored batch is complete, and each row is there once.
  v1::CountObservationsResponse count;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::CountObservations, stub,
                   v1::CountObservationsRequest(), &count)
                  .ok());
  EXPECT_EQ(count.observation_count() % kCrashBatchRows, 0);
  EXPECT_GE(count.observation_count(), static_cast<int64_t>(acknowledged.size()) * kCrashBatchRows);
  RecordProperty("acknowledged_batches", static_cast<int>(acknowledged.size()));
}

}  // namespace
}  // namespace cox
