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

class LearnerTest : public ::testing::Test {
 protected:
  EndlessStore store_;
  Snapshots snapshots_;
  ProfileFeed feed_;
  ScenarioBound scenarios_{{.of_machine = 1'000, .in_all = 1'000}};
  Learner learner_{&store_, &snapshots_, &feed_, &scenarios_, 0};
};

// Without Stop() in every loop the test would not end.
TEST_F(LearnerTest, EndsInTheMiddleOfALongHistoryAndAnswersWhoAwaitsLearning) {
  ASSERT_TRUE(learner_.Start().ok());
  std::promise<void> early;
  learner_.Notice({"m"}, [&early] { early.set_value(); });
  while (store_.list_count() < 2) std::this_thread::yield();
  std::promise<void> queued;
  learner_.Notice({"m"}, [&queued] { queued.set_value(); });
  learner_.Stop();
  early.get_future().wait();
  queued.get_future().wait();
  const int64_t lists = store_.list_count();
  std::promise<void> late;
  learner_.Notice({"m"}, [&late] { late.set_value(); });
  late.get_future().wait();
  learner_.Stop();
  EXPECT_EQ(store_.list_count(), lists) << "it learned after its end";
}

TEST_F(LearnerTest, TriesAgainAfterAnErrorOfTheStore) {
  store_.FailToList(1);
  ASSERT_TRUE(learner_.Start().ok());
  std::promise<void> failed;
  learner_.Notice({"m"}, [&failed] { failed.set_value(); });
  failed.get_future().wait();
  EXPECT_EQ(store_.list_count(), 1);
  // Of no machine; it only ends the rest.
  learner_.Notice({}, {}, Learner::Pace::kUrgent);
  while (store_.list_count() < 2) std::this_thread::yield();
  learner_.Stop();
}

TEST_F(LearnerTest, AnswersFromProfilesUntilTheHistoryIsRead) {
  std::promise<void> open;
  store_.AddMachine("m");
  store_.HoldCells(open.get_future().share());
  ASSERT_TRUE(learner_.Start().ok()) << "does not wait for the cells";
  EXPECT_TRUE(snapshots_.Load()->contains("m"));
  EXPECT_FALSE(learner_.AwaitViews(std::chrono::steady_clock::now()));
  open.set_value();
  EXPECT_TRUE(learner_.AwaitViews(std::chrono::steady_clock::now() + std::chrono::minutes(1)));
}

TEST_F(LearnerTest, ManyMachinesArePublishedTogether) {
  constexpr int kMachines = 1'000;
  for (int i = 0; i < kMachines; ++i) store_.AddMachine(absl::StrCat("m", i));
  std::set<std::shared_ptr<const Snapshot>> seen;
  store_.OnGetProfile([&](const std::string&) { seen.insert(snapshots_.Load()); });
  ASSERT_TRUE(learner_.Start().ok());
  learner_.Stop();
  EXPECT_EQ(snapshots_.Load()->size(), static_cast<size_t>(kMachines));
  // Each snapshot is a copy of all machines.
  EXPECT_LE(seen.size(), 100u);
}

}  // namespace
}  // namespace cox::daemon
