#include "daemon/host/connection_share.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

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

TEST(ConnectionShare, KnowsTheHostOfAConnection) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), bytes), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), bytes), 0);
  const int accepted = accept(listener, nullptr, nullptr);
  EXPECT_EQ(HostOf(accepted), "127.0.0.1");
  EXPECT_EQ(HostOf(listener), "");
  for (const int fd : {accepted, client, listener}) close(fd);
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
  EXPECT_EQ(host_of("::ffff:10.0.0.7"), "10.0.0.7");
}

}  // namespace
}  // namespace cox::daemon
