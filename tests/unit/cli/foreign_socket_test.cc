// cox asks nothing at a socket of another user.
#include "foreign_socket.h"

#include <gmock/gmock.h>
#include <google/protobuf/message_lite.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "cli/connection.h"
#include "folder.h"

namespace cox::cli {
namespace {

TEST(ForeignSocketTest, CoxDoesNotConnect) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const Folder folder;
  const ForeignSocket socket(folder.Path("s"), kAnotherUser);
  ASSERT_TRUE(socket.is_bound());
  for (const std::string& servers : socket.Lists()) {
    const absl::Status refused = Connection(servers, 1).Connect();
    EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(refused.message()), ::testing::HasSubstr("--server-user"));
  }
  EXPECT_FALSE(socket.WasVisited());

  Credentials by_name;
  by_name.server_user = absl::StrCat(kAnotherUser);
  Credentials by_munge;
  by_munge.munge.reader = absl::StrCat(kAnotherUser);
  for (const Credentials& trusting : {by_name, by_munge}) {
    std::thread client([&] {
      EXPECT_EQ(Connection(socket.address(), 60, trusting).Connect().code(),
                absl::StatusCode::kUnavailable);
    });
    socket.AwaitVisit();
    client.join();
  }
}

}  // namespace
}  // namespace cox::cli
