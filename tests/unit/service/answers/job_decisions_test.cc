#include "service/answers/job_decisions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace cox::service {
namespace {

// A launch storm: many tasks ask the same at the same time.
TEST(JobDecisionsTest, ADecisionIsMadeOnceHoweverManyAsk) {
  constexpr int kThreads = 8;
  auto view = std::make_shared<advise::MachineView>();
  view->name = "delta";
  const daemon::Snapshot snapshot = {{"delta", view}};
  daemon::DecisionCache cache;
  v1::GetDecisionsRequest request;
  request.set_machine("delta");
  std::atomic<int> asking = 0;
  std::atomic<int> made = 0;
  const auto decide = [&](const advise::MachineView&,
                          const v1::GetDecisionsRequest&) -> absl::StatusOr<daemon::JobDecisions> {
    ++made;
    // Until all have asked, and most of them have missed the cache.
    while (asking < kThreads) std::this_thread::yield();
    daemon::JobDecisions decisions;
    decisions.etag = "1";
    return decisions;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++asking;
      const auto answer = FindOrDecide(snapshot, request, KeyOf(request), decide, &cache);
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ((*answer)->etag, "1");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace cox::service
