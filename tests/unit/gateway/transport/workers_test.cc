#include "gateway/transport/workers.h"

#include <gtest/gtest.h>

#include <atomic>

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

}  // namespace
}  // namespace cox::gateway
