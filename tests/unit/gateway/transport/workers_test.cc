#include "gateway/transport/workers.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>

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

// While it lives, threads are to have a stack that no address space holds: none starts.
class NoThreads {
 public:
  NoThreads() {
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    pthread_attr_t beyond{};
    EXPECT_EQ(pthread_getattr_default_np(&beyond), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&beyond, size_t{1} << 50), 0);
    EXPECT_EQ(pthread_setattr_default_np(&beyond), 0);
    pthread_attr_destroy(&beyond);
  }
  ~NoThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST(Workers, RefuseWhereNoThreadStarts) {
  std::atomic<int> done = 0;
  {
    Workers workers(2);
    const auto task = [&] { ++done; };
    {
      const NoThreads none;
      EXPECT_FALSE(workers.Run(task));
    }
    EXPECT_TRUE(workers.Run(task)) << "it goes on";
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace cox::gateway
