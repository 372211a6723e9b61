#include "daemon/host/grpc_listener.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace cox::daemon {
namespace {

class GrpcListenerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = ::testing::TempDir() + "/listener-XXXXXX";
    directory_ = mkdtemp(path.data());
  }
  void TearDown() override {
    for (const int fd : clients_) close(fd);
    std::lock_guard lock(mutex_);
    for (const int fd : taken_) close(fd);
    rmdir(directory_.c_str());
  }
  std::string Path() const { return directory_ + "/s"; }
  GrpcListener::Options Options(int64_t max_connections) const {
    return {.address = absl::StrCat("unix:", Path()), .max_connections = max_connections};
  }
  GrpcListener::Take Keep() {
    return [this](int fd) {
      std::lock_guard lock(mutex_);
      taken_.push_back(fd);
    };
  }
  int Connect() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    Path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      close(fd);
      return -1;
    }
    clients_.push_back(fd);
    return fd;
  }
  // Waits until every connection is taken or closed; returns how many were closed.
  int AwaitOutcome() {
    int closed = 0;
    for (size_t taken = 0; taken + static_cast<size_t>(closed) < clients_.size();) {
      closed = 0;
      for (const int fd : clients_) {
        pollfd ready = {fd, POLLIN, 0};
        char byte;
        if (poll(&ready, 1, 1) == 1 && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) ++closed;
      }
      std::lock_guard lock(mutex_);
      taken = taken_.size();
    }
    return closed;
  }
  void CloseAll() {
    for (const int fd : clients_) close(fd);
    clients_.clear();
    std::lock_guard lock(mutex_);
    for (const int fd : taken_) close(fd);
    taken_.clear();
  }

  std::string directory_;
  std::vector<int> clients_;
  std::mutex mutex_;
  std::vector<int> taken_;
};

TEST_F(GrpcListenerTest, RefusesConnectionsOverTheLimitAndGoesOn) {
  auto listener = GrpcListener::Open(Options(20));
  ASSERT_TRUE(listener.ok()) << listener.status();
  (*listener)->Start(Keep());
  // Both ends of each connection are this process's.
  for (int i = 0; i < 40; ++i) ASSERT_GE(Connect(), 0);
  EXPECT_GT(AwaitOutcome(), 0);
  CloseAll();
  for (int i = 0; i < 5; ++i) ASSERT_GE(Connect(), 0);
  EXPECT_EQ(AwaitOutcome(), 0);
}

TEST_F(GrpcListenerTest, TheLastPlacesAreReserved) {
  auto opened = GrpcListener::Open(Options(64));
  ASSERT_TRUE(opened.ok()) << opened.status();
  GrpcListener& listener = **opened;
  std::atomic<int> reserved = 0;
  listener.Start([&, keep = Keep()](int fd) {
    if (listener.IsReserved(fd)) ++reserved;
    keep(fd);
  });
  // Both ends of each connection are this process's, so a place of two is a client's.
  for (int i = 0; i < 40; ++i) ASSERT_GE(Connect(), 0);
  EXPECT_GT(AwaitOutcome(), 0) << "all places are taken";
  EXPECT_GE(reserved, 1);
  EXPECT_LE(reserved, 4);
}

TEST_F(GrpcListenerTest, TheSocketsFileHasTheModeThatWasAskedFor) {
  for (const mode_t mode : {0600, 0660, 0666}) {
    GrpcListener::Options options = Options(4);
    options.socket_mode = mode;
    const auto listener = GrpcListener::Open(options);
    ASSERT_TRUE(listener.ok()) << listener.status();
    struct stat status;
    ASSERT_EQ(stat(Path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
  struct stat status;
  EXPECT_NE(stat(Path().c_str(), &status), 0) << "the file stays behind";
}

TEST_F(GrpcListenerTest, AnUnknownGroupIsNamed) {
  GrpcListener::Options options = Options(4);
  options.socket_group = "no-such-group-here";
  const auto listener = GrpcListener::Open(options);
  EXPECT_EQ(listener.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(listener.status().message().find("no-such-group-here"), absl::string_view::npos);
}

TEST_F(GrpcListenerTest, StopsWhileItWaits) {
  auto listener = GrpcListener::Open(Options(4));
  ASSERT_TRUE(listener.ok()) << listener.status();
  (*listener)->Start(Keep());
  (*listener)->Stop();
  EXPECT_EQ(Connect(), -1);
}

TEST_F(GrpcListenerTest, SaysWhichPortItGot) {
  auto listener = GrpcListener::Open({.address = "127.0.0.1:0", .max_connections = 4});
  ASSERT_TRUE(listener.ok()) << listener.status();
  const std::string address = (*listener)->address();
  EXPECT_NE(address, "127.0.0.1:0");
  const auto second = GrpcListener::Open({.address = address, .max_connections = 4});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(second.status().message().find(address), absl::string_view::npos);
}

}  // namespace
}  // namespace cox::daemon
