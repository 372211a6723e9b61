// The agent sends nothing to a socket of another user.
#include "foreign_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/stream/connection.h"
#include "agent/stream/wire/unary_call.h"
#include "folder.h"

namespace cox::agent {
namespace {

TEST(ForeignSocketTest, TheAgentDoesNotConnect) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const Folder folder;
  const ForeignSocket socket(folder.Path("s"), kAnotherUser);
  ASSERT_TRUE(socket.is_bound());
  for (const std::string& servers : socket.Lists()) {
    Connection connection(servers);
    EXPECT_FALSE(connection.Start());
    EXPECT_THAT(connection.End(), ::testing::HasSubstr("54321"));
    EXPECT_EQ(CallOnce(servers, "/cox.v1.AdviceService/GetTuning", "", 1).status().code(),
              absl::StatusCode::kPermissionDenied);
  }
  EXPECT_FALSE(socket.WasVisited());

  setenv("COX_SERVER_USER", absl::StrCat(kAnotherUser).c_str(), 1);
  std::thread client([&] {
    EXPECT_EQ(CallOnce(socket.address(), "/cox.v1.AdviceService/GetTuning", "", 60).status().code(),
              absl::StatusCode::kUnavailable)
        << "it is trusted, and hangs up";
  });
  socket.AwaitVisit();
  client.join();
  unsetenv("COX_SERVER_USER");
}

}  // namespace
}  // namespace cox::agent
