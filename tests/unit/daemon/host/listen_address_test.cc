#include "daemon/host/listen_address.h"

#include <gtest/gtest.h>

namespace cox::daemon {
namespace {

TEST(ListenAddress, LoopbackAndUnixSocketsAreLocal) {
  for (const char* address : {"127.0.0.1:7077", "127.0.0.1:0", "127.1.2.3:65535", "[::1]:1",
                              "localhost:80", "unix:/run/coxd.sock", "unix-abstract:coxd"}) {
    EXPECT_TRUE(CheckLocalAddress(address, "listen").ok()) << address;
  }
}

TEST(ListenAddress, RefusesWhatOthersCanReachAndSaysWhy) {
  for (const char* address :
       {"0.0.0.0:7077", "10.0.0.1:7077", "[::]:7077", "[fe80::1]:7077", "128.0.0.1:1"}) {
    EXPECT_TRUE(CheckAddress(address, "listen").ok()) << address;
    const absl::Status status = CheckLocalAddress(address, "listen");
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << address;
    EXPECT_NE(status.message().find("TLS"), absl::string_view::npos) << address;
  }
}

TEST(ListenAddress, RefusesWhatIsNoAddress) {
  for (const char* address :
       {"", "7077", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:x",
        "unix:", ":7077", "a b:1", "head.example:7077", "localhost.evil:7077"}) {
    EXPECT_EQ(CheckLocalAddress(address, "listen").code(), absl::StatusCode::kInvalidArgument)
        << address;
  }
}

}  // namespace
}  // namespace cox::daemon
