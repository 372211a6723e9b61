#include "gateway/transport/self_check.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace cox::gateway {
namespace {

constexpr std::chrono::milliseconds kShort{300};

// A port that takes connections and says nothing, as a server whose threads hang.
class SilentPort {
 public:
  SilentPort() {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), bytes), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentPort() { Close(); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;

  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  const std::string& address() const { return address_; }

 private:
  int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string address_;
};

TEST(SelfCheckTest, APortThatHangsOrIsClosedDoesNotAnswer) {
  SilentPort port;
  EXPECT_FALSE(AnswersHttp(port.address(), /*has_tls=*/false, kShort));
  EXPECT_FALSE(AnswersHttp(port.address(), /*has_tls=*/true, kShort));
  port.Close();
  EXPECT_FALSE(AnswersHttp(port.address(), /*has_tls=*/false, kShort));
}

TEST(SelfCheckTest, WhatIsNoAddressDoesNotAnswer) {
  EXPECT_FALSE(AnswersHttp("", /*has_tls=*/false, kShort));
  EXPECT_FALSE(AnswersHttp("localhost", /*has_tls=*/false, kShort));
}

}  // namespace
}  // namespace cox::gateway
