// coxd tells systemd's watchdog that it lives as long as each of its listeners answers, and no
// longer.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "coxd_process.h"
#include "daemon.h"

namespace cox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// coxd says that it lives twice in this time.
constexpr milliseconds kWatchdog{1'000};
constexpr milliseconds kPatience{60'000};

class WatchdogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_.path() + "/notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
    setenv("WATCHDOG_USEC", std::to_string(1'000 * kWatchdog.count()).c_str(), 1);
    unsetenv("WATCHDOG_PID");
  }
  void TearDown() override {
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    close(fd_);
  }

  std::string Socket() const { return directory_.path() + "/coxd.sock"; }
  std::vector<std::string> Arguments(const std::string& listen) const {
    return {"--data", directory_.path() + "/data", "--listen", listen, "--http", "127.0.0.1:0"};
  }
  // Whether coxd says that it lives within this time.
  bool Lives(milliseconds time) const {
    const Clock::time_point end = Clock::now() + time;
    while (true) {
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
      pollfd ready = {fd_, POLLIN, 0};
      if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
      char text[256];
      const ssize_t bytes = recv(fd_, text, sizeof(text), 0);
      if (bytes > 0 && absl::StrContains(absl::string_view(text, bytes), "WATCHDOG=1")) return true;
    }
  }
  // What it said before is forgotten.
  void ForgetWhatItSaid() const {
    char text[256];
    while (recv(fd_, text, sizeof(text), MSG_DONTWAIT) > 0) {
    }
  }
  // A look that has begun may still end well.
  void AwaitSilence() const {
    ForgetWhatItSaid();
    Lives(kWatchdog);
    ForgetWhatItSaid();
  }

  TemporaryDirectory directory_;
  const int fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_F(WatchdogTest, LivesWhileEachListenerAnswers) {
  CoxdProcess coxd(Arguments("127.0.0.1:0,unix:" + Socket()), directory_.path() + "/log");
  EXPECT_TRUE(Lives(kPatience)) << coxd.Log();
  ForgetWhatItSaid();
  EXPECT_TRUE(Lives(kPatience)) << coxd.Log();
}

// The first address answers on.
TEST_F(WatchdogTest, SaysNothingWhenALaterListenerIsGone) {
  const std::string second = Socket() + "2";
  CoxdProcess coxd(Arguments("unix:" + Socket() + ",unix:" + second), directory_.path() + "/log");
  ASSERT_TRUE(Lives(kPatience)) << coxd.Log();
  ASSERT_TRUE(std::filesystem::remove(second));
  AwaitSilence();
  EXPECT_FALSE(Lives(4 * kWatchdog));
  EXPECT_NE(ConnectUnix(Socket(), 30), nullptr);
}

// All threads hang but the main one, which watches.
TEST_F(WatchdogTest, SaysNothingWhenThreadsHang) {
  CoxdProcess coxd(Arguments("unix:" + Socket()), directory_.path() + "/log");
  ASSERT_TRUE(Lives(kPatience)) << coxd.Log();
  std::vector<pid_t> held;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(coxd.pid()) + "/task")) {
    const pid_t thread = std::stoi(entry.path().filename());
    if (thread == coxd.pid()) continue;
    if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) GTEST_SKIP() << "cannot hold threads";
    ASSERT_EQ(ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr), 0);
    held.push_back(thread);
  }
  ASSERT_GT(held.size(), 3U);
  for (const pid_t thread : held) ASSERT_EQ(waitpid(thread, nullptr, __WALL), thread);
  AwaitSilence();
  EXPECT_FALSE(Lives(4 * kWatchdog));
  for (const pid_t thread : held) ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
  EXPECT_TRUE(Lives(kPatience)) << "it goes on, but is silent for ever";
}

}  // namespace
}  // namespace cox
