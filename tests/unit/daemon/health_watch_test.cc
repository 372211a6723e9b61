#include "daemon/health_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>

#include "folder.h"
#include "learning/forwarding_store.h"

namespace cox::daemon {
namespace {

using std::chrono::seconds;

// Its disk hangs until Answer().
class HangingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status Check() override {
    answers_.wait();
    return absl::OkStatus();
  }
  void Answer() { answer_.set_value(); }

 private:
  std::promise<void> answer_;
  std::shared_future<void> answers_ = answer_.get_future().share();
};

TEST(HealthWatchTest, ACheckThatDoesNotEndHasFailed) {
  const Folder folder;
  store::StoreOptions options;
  options.directory = folder.Path("data");
  const std::unique_ptr<store::Store> store = *store::OpenStore(options);
  HangingStore hanging(store.get());
  std::promise<void> told_of_the_end;
  std::promise<void> told_of_an_answer;
  HealthWatch watch(
      &hanging,
      [&](bool is_healthy) { (is_healthy ? told_of_an_answer : told_of_the_end).set_value(); },
      std::chrono::milliseconds(10));
  EXPECT_EQ(told_of_the_end.get_future().wait_for(seconds(30)), std::future_status::ready);
  EXPECT_FALSE(watch.is_healthy());
  hanging.Answer();
  EXPECT_EQ(told_of_an_answer.get_future().wait_for(seconds(30)), std::future_status::ready);
  EXPECT_TRUE(watch.is_healthy());
}

}  // namespace
}  // namespace cox::daemon
