// Which connections the server closes: seen from a socket that speaks HTTP/2 by itself.
#include "service/entry/builder_limits.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace cox::service {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

enum FrameType : unsigned char { kSettings = 4, kPing = 6 };
constexpr unsigned kMaxConcurrentStreams = 3;  // a setting of HTTP/2
constexpr unsigned char kAck = 1;
constexpr size_t kHeadBytes = 9;
constexpr milliseconds kLong{30'000};

std::string Frame(FrameType type, unsigned char flags, const std::string& payload) {
  std::string frame(kHeadBytes, '\0');
  frame[2] = static_cast<char>(payload.size());
  frame[3] = static_cast<char>(type);
  frame[4] = static_cast<char>(flags);
  return frame + payload;
}

// A client that connects and never calls.
class SilentClient {
 public:
  SilentClient(int port, bool answers_pings) : answers_pings_(answers_pings) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(kSettings, 0, ""));
  }
  ~SilentClient() { close(fd_); }
  SilentClient(const SilentClient&) = delete;
  SilentClient& operator=(const SilentClient&) = delete;

  int pings() const { return pings_; }
  // The calls that the server lets this connection have at once; 0: it has not said so.
  int64_t streams() const { return streams_; }

  // Reads what the server says. True: it has closed the connection; false: not for so long.
  bool IsClosedWithin(milliseconds time) {
    const Clock::time_point end = Clock::now() + time;
    while (true) {
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
      pollfd ready = {fd_, POLLIN, 0};
      if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) == 0) return false;
      char bytes[4096];
      const ssize_t count = recv(fd_, bytes, sizeof(bytes), 0);
      if (count <= 0) return true;
      said_.append(bytes, static_cast<size_t>(count));
      ReadFrames();
    }
  }

 private:
  void Send(const std::string& bytes) {
    // The server may close at any time.
    (void)send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void ReadFrames() {
    while (said_.size() >= kHeadBytes) {
      const auto byte = [this](size_t at) { return static_cast<unsigned char>(said_[at]); };
      const size_t payload_bytes = size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2);
      if (said_.size() < kHeadBytes + payload_bytes) return;
      if (byte(3) == kPing && (byte(4) & kAck) == 0) {
        ++pings_;
        if (answers_pings_) Send(Frame(kPing, kAck, said_.substr(kHeadBytes, payload_bytes)));
      }
      if (byte(3) == kSettings) ReadSettings(said_.substr(kHeadBytes, payload_bytes));
      said_.erase(0, kHeadBytes + payload_bytes);
    }
  }
  void ReadSettings(const std::string& settings) {
    constexpr size_t kSettingBytes = 6;
    for (size_t at = 0; at + kSettingBytes <= settings.size(); at += kSettingBytes) {
      const auto byte = [&](size_t i) { return static_cast<unsigned char>(settings[at + i]); };
      if ((unsigned{byte(0)} << 8 | byte(1)) != kMaxConcurrentStreams) continue;
      streams_ = int64_t{byte(2)} << 24 | byte(3) << 16 | byte(4) << 8 | byte(5);
    }
  }

  const bool answers_pings_;
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string said_;
  int pings_ = 0;
  int64_t streams_ = 0;
};

class BuilderLimitsTest : public ::testing::Test {
 protected:
  void Start(int idle_timeout_s, const Keepalive& keepalive) {
    const auto made = daemon::MakeConfig(
        {daemon::ConfigValues{{"idle-timeout", std::to_string(idle_timeout_s) + "s"}}});
    ASSERT_TRUE(made.ok()) << made.status();
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    AddLimits(*made, &builder, keepalive);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(BuilderLimitsTest, ClosesAConnectionWithoutACall) {
  Start(/*idle_timeout_s=*/1, {});
  SilentClient client(port_, /*answers_pings=*/true);
  const Clock::time_point begun = Clock::now();
  EXPECT_TRUE(client.IsClosedWithin(kLong));
  EXPECT_GE(Clock::now() - begun, milliseconds(800)) << "closed before its time";
}

TEST_F(BuilderLimitsTest, KeepsAConnectionThatIsYoung) {
  Start(/*idle_timeout_s=*/600, {});
  SilentClient client(port_, /*answers_pings=*/true);
  EXPECT_FALSE(client.IsClosedWithin(milliseconds(2'500)));
}

TEST_F(BuilderLimitsTest, ClosesTheConnectionOfADeadPeer) {
  Start(/*idle_timeout_s=*/600, {.silence_ms = 1'000, .patience_ms = 1'000});
  SilentClient dead(port_, /*answers_pings=*/false);
  SilentClient alive(port_, /*answers_pings=*/true);
  std::future<bool> is_alive_closed = std::async(
      std::launch::async, [&alive] { return alive.IsClosedWithin(milliseconds(5'000)); });
  EXPECT_TRUE(dead.IsClosedWithin(kLong));
  EXPECT_GE(dead.pings(), 1);
  EXPECT_FALSE(is_alive_closed.get());
  EXPECT_GE(alive.pings(), 2);
}

// gRPC holds all that it has decompressed in memory before anybody knows who calls.
TEST_F(BuilderLimitsTest, RefusesCompressedMessages) {
  Start(/*idle_timeout_s=*/600, {});
  const auto stub = grpc::health::v1::Health::NewStub(
      grpc::CreateChannel(absl::StrCat("127.0.0.1:", port_), grpc::InsecureChannelCredentials()));
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(std::string(100'000, 'x'));
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    grpc::health::v1::HealthCheckResponse response;
    EXPECT_EQ(stub->Check(&context, request, &response).error_code(),
              grpc::StatusCode::UNIMPLEMENTED)
        << algorithm;
  }
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse response;
  EXPECT_TRUE(stub->Check(&context, {}, &response).ok());
}

// A call that has sent its headers only takes memory before anybody knows who calls.
TEST_F(BuilderLimitsTest, CallsOfOneHostFitIntoTheBuffers) {
  constexpr int64_t kCallBytes = 13'000;  // measured: gRPC 1.51, headers only
  const auto defaults = daemon::MakeConfig({daemon::ConfigValues{}});
  ASSERT_TRUE(defaults.ok()) << defaults.status();
  Start(/*idle_timeout_s=*/600, {});
  SilentClient client(port_, /*answers_pings=*/true);
  EXPECT_FALSE(client.IsClosedWithin(milliseconds(500)));
  ASSERT_GT(client.streams(), 0);
  EXPECT_LE(client.streams() * defaults->quota_connections * kCallBytes,
            defaults->max_memory_bytes / 4);
}

}  // namespace
}  // namespace cox::service
