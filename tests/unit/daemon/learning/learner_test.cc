#include "daemon/learning/learner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "endless_store.h"

namespace cox::daemon {
namespace {

// Without Stop() in every loop neither test would end.
TEST(LearnerTest, EndsInTheMiddleOfALongHistory) {
  EndlessStore store;
  Snapshots snapshots;
  ProfileFeed feed;
  ScenarioBound scenarios({.of_machine = 1'000, .in_all = 1'000});
  Learner learner(&store, &snapshots, &feed, &scenarios, 0);
  ASSERT_TRUE(learner.Start().ok());
  learner.Notice({"m"}, {});
  while (store.list_count() < 2) std::this_thread::yield();
  learner.Stop();
  const int64_t lists = store.list_count();
  learner.Notice({"m"}, {});
  learner.Stop();
  EXPECT_EQ(store.list_count(), lists) << "it learned after its end";
}

TEST(LearnerTest, WhoAwaitsLearningIsAnsweredAtTheEnd) {
  EndlessStore store;
  Snapshots snapshots;
  ProfileFeed feed;
  ScenarioBound scenarios({.of_machine = 1'000, .in_all = 1'000});
  Learner learner(&store, &snapshots, &feed, &scenarios, 0);
  ASSERT_TRUE(learner.Start().ok());
  std::promise<void> early;
  learner.Notice({"m"}, [&early] { early.set_value(); });
  while (store.list_count() < 2) std::this_thread::yield();
  std::promise<void> queued;
  learner.Notice({"m"}, [&queued] { queued.set_value(); });
  learner.Stop();
  early.get_future().wait();
  queued.get_future().wait();
  std::promise<void> late;
  learner.Notice({"m"}, [&late] { late.set_value(); });
  late.get_future().wait();
}

TEST(LearnerTest, TriesAgainAfterAnErrorOfTheStore) {
  EndlessStore store;
  store.FailToList(1);
  Snapshots snapshots;
  ProfileFeed feed;
  ScenarioBound scenarios({.of_machine = 1'000, .in_all = 1'000});
  Learner learner(&store, &snapshots, &feed, &scenarios, 0);
  ASSERT_TRUE(learner.Start().ok());
  std::promise<void> failed;
  learner.Notice({"m"}, [&failed] { failed.set_value(); });
  failed.get_future().wait();
  EXPECT_EQ(store.list_count(), 1);
  // Of no machine; it only ends the rest.
  learner.Notice({}, {}, Learner::Pace::kUrgent);
  while (store.list_count() < 2) std::this_thread::yield();
  learner.Stop();
}

TEST(LearnerTest, AnswersFromProfilesUntilTheHistoryIsRead) {
  std::promise<void> open;
  EndlessStore store;
  store.AddMachine("m");
  store.HoldCells(open.get_future().share());
  Snapshots snapshots;
  ProfileFeed feed;
  ScenarioBound scenarios({.of_machine = 1'000, .in_all = 1'000});
  Learner learner(&store, &snapshots, &feed, &scenarios, 0);
  ASSERT_TRUE(learner.Start().ok()) << "does not wait for the cells";
  EXPECT_TRUE(snapshots.Load()->contains("m"));
  EXPECT_FALSE(learner.AwaitViews(std::chrono::steady_clock::now()));
  open.set_value();
  EXPECT_TRUE(learner.AwaitViews(std::chrono::steady_clock::now() + std::chrono::minutes(1)));
}

TEST(LearnerTest, ManyMachinesArePublishedTogether) {
  constexpr int kMachines = 1'000;
  EndlessStore store;
  for (int i = 0; i < kMachines; ++i) store.AddMachine(absl::StrCat("m", i));
  Snapshots snapshots;
  std::set<std::shared_ptr<const Snapshot>> seen;
  store.OnGetProfile([&](const std::string&) { seen.insert(snapshots.Load()); });
  ProfileFeed feed;
  ScenarioBound scenarios({.of_machine = 1'000, .in_all = 1'000});
  Learner learner(&store, &snapshots, &feed, &scenarios, 0);
  ASSERT_TRUE(learner.Start().ok());
  learner.Stop();
  EXPECT_EQ(snapshots.Load()->size(), static_cast<size_t>(kMachines));
  // Each snapshot is a copy of all machines.
  EXPECT_LE(seen.size(), 100u);
}

}  // namespace
}  // namespace cox::daemon
