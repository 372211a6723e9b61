#include "gateway/transport/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "absl/synchronization/notification.h"

namespace cox::gateway {
namespace {

TEST(Workers, RefuseWhatCannotStartAtOnce) {
  absl::Notification go;
  std::atomic<int> done = 0;
  {
    Workers workers(2);
    const auto task = [&] {
      go.WaitForNotification();
      ++done;
    };
    EXPECT_TRUE(workers.Run(task));
    EXPECT_TRUE(workers.Run(task));
    EXPECT_FALSE(workers.Run(task));
    go.Notify();
    // A thread that has finished takes the next task.
    while (!workers.Run(task)) {
    }
  }
  EXPECT_EQ(done, 3);
}

// The bytes of address space that this process has.
rlim_t UsedBytes() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(getpagesize());
}

TEST(Workers, RefuseWhereNoThreadStarts) {
  constexpr int kMany = 64;  // libc keeps a few stacks of threads that have ended
  constexpr rlim_t kLessThanAStack = 1 << 20;
  absl::Notification go;
  std::atomic<int> done = 0;
  int started = 0;
  {
    Workers workers(kMany);
    const auto task = [&] {
      go.WaitForNotification();
      ++done;
    };
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    const rlimit tight = {UsedBytes() + kLessThanAStack, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    while (started < kMany && workers.Run(task)) ++started;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_LT(started, kMany);
    EXPECT_TRUE(workers.Run(task)) << "it goes on";
    go.Notify();
  }
  EXPECT_EQ(done, started + 1);
}

}  // namespace
}  // namespace cox::gateway
