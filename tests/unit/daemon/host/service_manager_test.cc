#include "daemon/host/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <map>
#include <string>

namespace cox::daemon {
namespace {

Environment Of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(ServiceManager, HearsMessagesOnItsSocket) {
  std::string directory = ::testing::TempDir() + "/notify-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const std::string path = directory + "/s";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ServiceManager(Of({{"NOTIFY_SOCKET", path}})).Notify("READY=1");
  char text[32] = {};
  EXPECT_EQ(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), 7);
  EXPECT_STREQ(text, "READY=1");
  close(fd);
  ServiceManager(Of({{"NOTIFY_SOCKET", path}}))
      .Notify("READY=1");  // the socket has no reader any more
  unlink(path.c_str());
  rmdir(directory.c_str());
}

TEST(ServiceManager, TheWatchdogIsOfThisProcess) {
  const auto time_us = [](std::map<std::string, std::string> variables) {
    return ServiceManager(Of(std::move(variables))).watchdog_time().count();
  };
  EXPECT_EQ(time_us({}), 0);
  EXPECT_EQ(time_us({{"WATCHDOG_USEC", "30000000"}}), 30'000'000);
  EXPECT_EQ(time_us({{"WATCHDOG_USEC", "5"}, {"WATCHDOG_PID", std::to_string(getpid())}}), 5);
  EXPECT_EQ(time_us({{"WATCHDOG_USEC", "5"}, {"WATCHDOG_PID", "1"}}), 0);
  EXPECT_EQ(time_us({{"WATCHDOG_USEC", "soon"}}), 0);
}

}  // namespace
}  // namespace cox::daemon
