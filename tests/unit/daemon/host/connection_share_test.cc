#include "daemon/host/connection_share.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace cox::daemon {
namespace {

int NewSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

TEST(ConnectionShare, AClosedConnectionMakesRoom) {
  ConnectionShare share(2, std::chrono::milliseconds(0));
  const int first = NewSocket();
  const int second = NewSocket();
  const int third = NewSocket();
  EXPECT_TRUE(share.Admit(first, "ada"));
  EXPECT_TRUE(share.Admit(second, "ada"));
  EXPECT_FALSE(share.Admit(third, "ada"));
  EXPECT_TRUE(share.Admit(third, "bob")) << "others have their own share";
  close(first);
  const int reused = NewSocket();
  EXPECT_EQ(reused, first) << "the kernel gives the lowest number again";
  EXPECT_TRUE(share.Admit(reused, "ada")) << "the same descriptor, another connection";
  EXPECT_FALSE(share.Admit(third, "ada"));
  for (const int fd : {reused, second, third}) close(fd);
}

TEST(ConnectionShare, APeerThatConnectsOnAndOnCostsOneLook) {
  ConnectionShare share(1, std::chrono::hours(1));
  const int first = NewSocket();
  const int second = NewSocket();
  EXPECT_TRUE(share.Admit(first, "ada"));
  EXPECT_FALSE(share.Admit(second, "ada"));
  close(first);
  EXPECT_FALSE(share.Admit(second, "ada")) << "no look, an hour long";
  EXPECT_TRUE(share.Admit(second, "bob"));
  close(second);
}

TEST(ConnectionShare, ZeroIsNoLimit) {
  ConnectionShare share(0);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(share.Admit(0, "ada"));
}

// A listener on loopback, and whom it takes a client for that binds `from` first.
class LoopbackListener {
 public:
  LoopbackListener() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(address_);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address_), bytes), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &bytes), 0);
  }
  ~LoopbackListener() { close(fd_); }
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  int fd() const { return fd_; }
  std::string HostOfClient(in_addr from) const {
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in source{};
    source.sin_family = AF_INET;
    source.sin_addr = from;
    EXPECT_EQ(bind(client, reinterpret_cast<const sockaddr*>(&source), sizeof(source)), 0);
    EXPECT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)), 0);
    const int accepted = accept(fd_, nullptr, nullptr);
    std::string host = HostOf(accepted);
    close(accepted);
    close(client);
    return host;
  }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

in_addr AddressOf(const char* text) {
  in_addr address{};
  EXPECT_EQ(inet_pton(AF_INET, text, &address), 1) << text;
  return address;
}

// A local user may bind each of 16 million addresses of loopback.
TEST(ConnectionShare, AllAddressesOfThisHostAreOne) {
  const LoopbackListener listener;
  const std::string host = listener.HostOfClient(AddressOf("127.0.0.1"));
  EXPECT_NE(host, "");
  EXPECT_EQ(listener.HostOfClient(AddressOf("127.0.0.2")), host);
  EXPECT_EQ(listener.HostOfClient(AddressOf("127.9.8.7")), host);
  EXPECT_EQ(HostOf(listener.fd()), "");
  ifaddrs* own = nullptr;
  ASSERT_EQ(getifaddrs(&own), 0);
  for (const ifaddrs* each = own; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    const in_addr address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr;
    EXPECT_EQ(listener.HostOfClient(address), host) << inet_ntoa(address);
  }
  freeifaddrs(own);
}

TEST(ConnectionShare, OtherHostsAreTheirAddresses) {
  EXPECT_EQ(HostOf(AddressOf("203.0.113.7")), "203.0.113.7");
  EXPECT_NE(HostOf(AddressOf("203.0.113.8")), HostOf(AddressOf("203.0.113.7")));
}

TEST(ConnectionShare, AllAddressesOfAnIpv6HostAreOne) {
  const auto host_of = [](const char* text) {
    in6_addr address{};
    EXPECT_EQ(inet_pton(AF_INET6, text, &address), 1) << text;
    return HostOf(address);
  };
  EXPECT_EQ(host_of("2001:db8:0:7::1"), "2001:db8:0:7::/64");
  EXPECT_EQ(host_of("2001:db8:0:7:ffff:1:2:3"), host_of("2001:db8:0:7::1"));
  EXPECT_NE(host_of("2001:db8:0:8::1"), host_of("2001:db8:0:7::1"));
  EXPECT_EQ(host_of("::ffff:203.0.113.7"), "203.0.113.7");
  EXPECT_EQ(host_of("::1"), HostOf(AddressOf("127.0.0.1")));
  EXPECT_EQ(host_of("::ffff:127.0.0.9"), HostOf(AddressOf("127.0.0.1")));
}

}  // namespace
}  // namespace cox::daemon
