#include "daemon/host/unix_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <thread>

namespace cox::daemon {
namespace {

class UnixPeerTest : public ::testing::Test {
 protected:
  UnixPeerTest() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0); }
  ~UnixPeerTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  // What whoever asks the kernel hears.
  static std::string NameOf(int fd) {
    sockaddr_un address{};
    socklen_t bytes = sizeof(address);
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return "error";
    if (bytes <= offsetof(sockaddr_un, sun_path) + 1) return "";
    return {address.sun_path + 1, bytes - offsetof(sockaddr_un, sun_path) - 1};
  }

  int ends_[2];
};

TEST_F(UnixPeerTest, TheKernelSaysWhoIsThere) {
  const auto peer = UnixPeerOf(ends_[0]);
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->user, geteuid());
  EXPECT_THAT(peer->groups, ::testing::Contains(getegid()));
}

TEST_F(UnixPeerTest, OtherSocketsHaveNoUser) {
  const int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_FALSE(UnixPeerOf(tcp));
  close(tcp);
  EXPECT_FALSE(UnixPeerOf(-1));
}

TEST_F(UnixPeerTest, AConnectionIsKnownUntilItIsClosed) {
  const uint64_t cookie = SocketCookie(ends_[0]);
  ASSERT_NE(cookie, 0U);
  EXPECT_NE(cookie, SocketCookie(ends_[1]));
  const auto again = UnixPeerAgain(ends_[0], cookie);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->user, geteuid());
  // Another connection with the same descriptor.
  int others[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, others), 0);
  ASSERT_EQ(dup2(others[0], ends_[0]), ends_[0]);
  EXPECT_FALSE(UnixPeerAgain(ends_[0], cookie));
  close(others[0]);
  close(others[1]);
  EXPECT_FALSE(UnixPeerAgain(-1, 0));
}

TEST_F(UnixPeerTest, APeerHasANameForOneThreadAndAWhile) {
  EXPECT_EQ(NameOf(ends_[0]), "");
  {
    const PeerName name(ends_[0], "cox-user-1");
    EXPECT_EQ(NameOf(ends_[0]), "cox-user-1");
    EXPECT_EQ(NameOf(ends_[1]), "");
    std::thread([this] { EXPECT_EQ(NameOf(ends_[0]), ""); }).join();
  }
  EXPECT_EQ(NameOf(ends_[0]), "");
}

}  // namespace
}  // namespace cox::daemon
