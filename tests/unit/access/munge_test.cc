#include "access/munge.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace cox::access {
namespace {

constexpr absl::string_view kCredential = "MUNGE:AwQFAAA=:";

TEST(Munge, WithoutMungedEveryCredentialWaits) {
  Munge munge({"head"}, ::testing::TempDir() + "/nowhere");
  EXPECT_EQ(munge.Verify(kCredential, "m").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(munge.Verify("x", "m").status().code(), absl::StatusCode::kUnauthenticated)
      << "munged is not asked";
  EXPECT_EQ(munge.Verify("MUNGE:" + std::string(10'000, 'A') + ":", "m").status().code(),
            absl::StatusCode::kUnauthenticated);
}

// A munged that takes connections and never answers.
TEST(Munge, IfMungedHangsOneCallWaitsForIt) {
  std::string folder = ::testing::TempDir() + "/munge-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/s";
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 4), 0);

  Munge munge({"head"}, path);
  std::thread first([&] {
    EXPECT_EQ(munge.Verify(kCredential, "m").status().code(), absl::StatusCode::kUnavailable);
  });
  pollfd connected = {listener, POLLIN, 0};
  ASSERT_EQ(poll(&connected, 1, 20'000), 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(munge.Verify(kCredential, "m").status().code(), absl::StatusCode::kUnavailable);
  }
  close(listener);
  unlink(path.c_str());
  first.join();
  rmdir(folder.c_str());
}

}  // namespace
}  // namespace cox::access
