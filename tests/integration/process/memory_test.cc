// Memory of a daemon under many full batches at once.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "coxd_process.h"
#include "daemon.h"
#include "service/limits.h"

namespace cox {
namespace {

// A line of the process's status, such as VmHWM: the most memory that it ever had.
int64_t StatusBytes(pid_t pid, const std::string& name) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t:"), absl::SkipEmpty());
    int64_t kib = 0;
    if (words.size() > 1 && words[0] == name && absl::SimpleAtoi(words[1], &kib)) return kib << 10;
  }
  ADD_FAILURE() << "no " << name << " of process " << pid;
  return 0;
}

v1::ReportObservationsRequest FullBatch(const std::string& job) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_create_machines(true);
  for (int i = 0; i < service::kMaxObservationsPerBatch; ++i) {
    *request.add_observations() = MakeObservation("delta", i);
    request.mutable_observations(i)->set_run("a run with a name of usual length");
  }
  return request;
}

bool IsRetry(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return false;
  for (const auto& any : details.details()) {
    google::rpc::RetryInfo retry;
    if (any.UnpackTo(&retry)) return retry.retry_delay().nanos() > 0;
  }
  return false;
}

// So many batches would hold more than a gigabyte without admission.
TEST(MemoryTest, ManyFullBatchesAtOnceStayBelowTheLimit) {
  constexpr int64_t kLimitMib = 256;
  constexpr int kBatches = 256;
  const TemporaryDirectory directory;
  const std::string socket = directory.path() + "/coxd.sock";
  CoxdProcess coxd(
      {"--data", directory.path() + "/data", "--listen", "unix:" + socket, "--max-memory",
       absl::StrCat(kLimitMib, "MiB"), "--published-machines", "false"},
      directory.path() + "/log");
  ASSERT_NE(ConnectUnix(socket, 30), nullptr) << coxd.Log();
  std::atomic<int> retries{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kBatches; ++i) {
    clients.emplace_back([&, i] {
      const auto channel = ConnectUnix(socket, 60);
      const auto stub = v1::ObservationService::NewStub(channel);
      const v1::ReportObservationsRequest request = FullBatch(absl::StrCat("job", i));
      while (true) {
        v1::ReportObservationsResponse response;
        const grpc::Status status =
            Call(&v1::ObservationService::Stub::ReportObservations, stub, request, &response);
        if (status.ok()) return;
        // gRPC itself may refuse, or close the connection, when its buffers are full.
        ASSERT_TRUE(status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                    status.error_code() == grpc::StatusCode::UNAVAILABLE)
            << status.error_message();
        if (IsRetry(status)) ++retries;
        // As the answer asks; a client that does not wait would only measure its own speed.
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  const int64_t most_bytes = StatusBytes(coxd.pid(), "VmHWM");
  RecordProperty("most_mib", static_cast<int>(most_bytes >> 20));
  RecordProperty("retries", retries);
  EXPECT_LT(most_bytes, kLimitMib << 20) << retries << " retries";
  EXPECT_GT(retries, 0);
  v1::CountObservationsResponse count;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::CountObservations,
                   v1::ObservationService::NewStub(ConnectUnix(socket, 30)),
                   v1::CountObservationsRequest(), &count)
                  .ok());
  EXPECT_EQ(count.observation_count(), int64_t{kBatches} * service::kMaxObservationsPerBatch);
}

// Abseil's tables and gRPC cannot go on after a failed allocation.
TEST(MemoryTest, WithoutMemoryItEndsAndKeepsWhatItAcknowledged) {
  constexpr int kBatches = 16;
  constexpr int64_t kRoomBytes = int64_t{48} << 20;
  const TemporaryDirectory directory;
  const std::string socket = directory.path() + "/coxd.sock";
  const std::vector<std::string> arguments = {
      "--data",         directory.path() + "/data", "--listen",
      "unix:" + socket, "--published-machines",     "false"};
  const auto report = [&](const v1::ReportObservationsRequest& request) {
    const auto channel = ConnectUnix(socket, 5);
    if (channel == nullptr) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "nobody answers");
    v1::ReportObservationsResponse response;
    return Call(&v1::ObservationService::Stub::ReportObservations,
                v1::ObservationService::NewStub(channel), request, &response);
  };
  std::atomic<int> stored{0};
  {
    CoxdProcess coxd(arguments, directory.path() + "/log");
    ASSERT_NE(ConnectUnix(socket, 30), nullptr) << coxd.Log();
    const auto used_bytes = static_cast<rlim_t>(StatusBytes(coxd.pid(), "VmSize"));
    const rlimit limit{used_bytes + kRoomBytes, RLIM_INFINITY};
    ASSERT_EQ(prlimit(coxd.pid(), RLIMIT_AS, &limit, nullptr), 0);
    std::vector<std::thread> clients;
    for (int i = 0; i < kBatches; ++i) {
      clients.emplace_back([&, i] {
        if (report(FullBatch(absl::StrCat("job", i))).ok()) ++stored;
      });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_LT(stored, kBatches);
    EXPECT_EQ(coxd.Wait(), 128 + SIGABRT);
    EXPECT_NE(coxd.Log().find("finds no memory"), std::string::npos) << coxd.Log();
  }
  CoxdProcess coxd(arguments, directory.path() + "/log");
  ASSERT_NE(ConnectUnix(socket, 30), nullptr) << coxd.Log();
  const auto count = [&] {
    v1::CountObservationsResponse response;
    const grpc::Status status = Call(&v1::ObservationService::Stub::CountObservations,
                                     v1::ObservationService::NewStub(ConnectUnix(socket, 30)),
                                     v1::CountObservationsRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.observation_count();
  };
  EXPECT_GE(count(), int64_t{stored} * service::kMaxObservationsPerBatch);
  for (int i = 0; i < kBatches; ++i) {
    const grpc::Status status = report(FullBatch(absl::StrCat("job", i)));
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  EXPECT_EQ(count(), int64_t{kBatches} * service::kMaxObservationsPerBatch);
}

// 8 MiB of empty rows, of two bytes each, would take some 700 MiB once they are parsed.
TEST(MemoryTest, EmptyPartsTakeNoMemory) {
  constexpr int64_t kMostMib = 256;
  const TemporaryDirectory directory;
  const std::string socket = directory.path() + "/coxd.sock";
  CoxdProcess coxd({"--data", directory.path() + "/data", "--listen", "unix:" + socket,
                    "--published-machines", "false"},
                   directory.path() + "/log");
  const auto channel = ConnectUnix(socket, 30);
  ASSERT_NE(channel, nullptr) << coxd.Log();
  v1::ReportObservationsRequest one;
  one.add_observations();
  const std::string part = one.SerializeAsString();
  std::string empty;
  while (empty.size() < (size_t{8} << 20) - (1 << 10)) empty += part;
  const grpc::Status status =
      CallWithBytes(channel, "/cox.v1.ObservationService/ReportObservations", empty);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_NE(status.error_message().find("empty parts"), std::string::npos);
  const int64_t most_bytes = StatusBytes(coxd.pid(), "VmHWM");
  EXPECT_LT(most_bytes, kMostMib << 20);
}

// 8 MiB of unknown empty texts would take some 200 MiB in each stream, for as long as it is open.
TEST(MemoryTest, UnknownFieldsOfStreamsTakeNoMemory) {
  constexpr int64_t kMostMib = 256;
  constexpr int kStreams = 10;
  const TemporaryDirectory directory;
  const std::string socket = directory.path() + "/coxd.sock";
  CoxdProcess coxd({"--data", directory.path() + "/data", "--listen", "unix:" + socket,
                    "--published-machines", "false"},
                   directory.path() + "/log");
  const auto channel = ConnectUnix(socket, 30);
  ASSERT_NE(channel, nullptr) << coxd.Log();
  v1::EvaluatePatternRequest first;
  first.mutable_header()->set_machine("delta");
  std::string bytes = first.SerializeAsString();
  while (bytes.size() < (size_t{8} << 20) - (1 << 10)) bytes.append("\x7a\x00", 2);
  const grpc::Slice slice(bytes);
  const grpc::internal::RpcMethod method("/cox.v1.AdviceService/EvaluatePattern", nullptr,
                                         grpc::internal::RpcMethod::CLIENT_STREAMING, channel);
  for (int i = 0; i < kStreams; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    v1::EvaluatePatternResponse response;
    const std::unique_ptr<grpc::ClientWriter<grpc::ByteBuffer>> writer(
        grpc::internal::ClientWriterFactory<grpc::ByteBuffer>::Create(channel.get(), method,
                                                                      &context, &response));
    writer->Write(grpc::ByteBuffer(&slice, 1));
    // Without an end of the client's: coxd ends the stream.
    const grpc::Status status = writer->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  }
  EXPECT_LT(StatusBytes(coxd.pid(), "VmHWM"), kMostMib << 20);
}

}  // namespace
}  // namespace cox
