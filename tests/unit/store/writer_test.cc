// Groups: what closes them, what a failure affects, and when their owners get the outcome.
#include "store/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "scratch.h"

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kNever = 3'600'000'000;

// Counts groups, and fails on request.
class CountingState final : public WriteState {
 public:
  absl::Status BeforeCommit() override {
    if (fail_next_commit.exchange(false)) return absl::DataLossError("as told");
    return absl::OkStatus();
  }
  void AfterCommit() override { ++commits; }
  void AfterRollback(bool is_refusal) override {
    ++rollbacks;
    if (is_refusal) ++refusals;
  }
  absl::StatusOr<bool> Maintain() override { return ++maintained < 3; }

  std::atomic<int> commits{0};
  std::atomic<int> rollbacks{0};
  std::atomic<int> refusals{0};
  std::atomic<int> maintained{0};
  std::atomic<bool> fail_next_commit{false};
};

class WriterTest : public ::testing::Test {
 protected:
  WriterTest() {
    db_ = *Database::Open(directory_.Database(), Database::Mode::kCreate);
    EXPECT_TRUE(db_->UseWriteAheadLog().ok());
    EXPECT_TRUE(db_->Execute("CREATE TABLE t (x INTEGER UNIQUE) STRICT").ok());
    other_ = MustConnect(directory_);
  }
  void Start(const Writer::Limits& limits) {
    writer_ = std::make_unique<Writer>(*db_, state_, limits, false);
  }
  std::function<absl::Status()> Insert(int64_t x) {
    return [this, x] { return Query(*db_, "INSERT INTO t VALUES (?)").Bind(x).Run(); };
  }
  std::future<absl::Status> Submit(int64_t rows, Writer::Task task,
                                   const std::string& owner = "ada") {
    auto outcome = std::make_shared<std::promise<absl::Status>>();
    writer_->Submit(owner, rows, std::move(task),
                    [outcome](absl::Status status) { outcome->set_value(std::move(status)); });
    return outcome->get_future();
  }
  absl::Status Flush() {
    return writer_->Run(Writer::Grouping::kSoon, [] { return absl::OkStatus(); });
  }
  // As another process sees them.
  std::string Committed() { return Ask(*other_, "SELECT group_concat(x, ' ') FROM t"); }

  ScratchDirectory directory_;
  std::unique_ptr<Database> db_;
  std::unique_ptr<Database> other_;
  CountingState state_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(WriterTest, TheDefaultsAreThoseOfTheDesign) {
  const StoreOptions options;
  EXPECT_EQ(options.commit_delay_us, 2'000);
  EXPECT_EQ(options.commit_rows, 5'000);
}

TEST_F(WriterTest, SaysThatAWriteDoesNotEnd) {
  using std::chrono::steady_clock;
  constexpr steady_clock::duration kAny{0};
  Start({.commit_delay_us = 0, .commit_rows = 10, .queue_rows = 100});
  EXPECT_TRUE(writer_->CheckAtWork(kAny).ok());
  std::promise<void> begun;
  std::promise<void> goes_on;
  std::future<absl::Status> write = Submit(1, [&] {
    begun.set_value();
    goes_on.get_future().wait();
    return absl::OkStatus();
  });
  begun.get_future().wait();
  EXPECT_TRUE(absl::IsUnavailable(writer_->CheckAtWork(kAny)));
  EXPECT_TRUE(writer_->CheckAtWork().ok()) << "not for long";
  goes_on.set_value();
  EXPECT_TRUE(write.get().ok());
  EXPECT_TRUE(writer_->CheckAtWork(kAny).ok());
  // A write of its own may take long.
  const absl::Status alone =
      writer_->Run(Writer::Grouping::kAlone, [&] { return writer_->CheckAtWork(kAny); });
  EXPECT_TRUE(alone.ok()) << alone;
}

TEST_F(WriterTest, AGroupIsCommittedWhenItIsFull) {
  Start({.commit_delay_us = kNever, .commit_rows = 10, .queue_rows = 100});
  std::vector<std::future<absl::Status>> outcomes;
  outcomes.reserve(5);
  for (int i = 0; i < 5; ++i) outcomes.push_back(Submit(2, Insert(i)));
  for (auto& outcome : outcomes) EXPECT_TRUE(outcome.get().ok());
  EXPECT_EQ(state_.commits, 1);
  EXPECT_EQ(Committed(), "0 1 2 3 4");
}

TEST_F(WriterTest, SmallWritesDoNotWaitForALargeOne) {
  Start({.commit_delay_us = kNever, .commit_rows = 10, .queue_rows = 100});
  std::future<absl::Status> small = Submit(1, Insert(1));
  std::string before_the_large_one;
  std::future<absl::Status> large = Submit(10, [&] {
    before_the_large_one = Committed();
    return Insert(2)();
  });
  EXPECT_TRUE(large.get().ok());
  EXPECT_EQ(before_the_large_one, "1");
  EXPECT_TRUE(small.get().ok());
  EXPECT_EQ(state_.commits, 2);
}

TEST_F(WriterTest, AGroupIsCommittedWhenItIsOldEnough) {
  Start({.commit_delay_us = 1'000, .commit_rows = 1'000'000, .queue_rows = 100});
  EXPECT_TRUE(Submit(1, Insert(7)).get().ok());
  EXPECT_EQ(Committed(), "7");
}

TEST_F(WriterTest, AGroupThatIsNotFullWaits) {
  Start({.commit_delay_us = kNever, .commit_rows = 10, .queue_rows = 100});
  std::future<absl::Status> first = Submit(4, Insert(1));
  std::future<absl::Status> second = Submit(5, Insert(2));
  EXPECT_TRUE(Flush().ok());
  // All three went together.
  EXPECT_EQ(state_.commits, 1);
  EXPECT_TRUE(first.get().ok() && second.get().ok());
}

TEST_F(WriterTest, OwnersHearOfItAfterTheCommit) {
  Start({.commit_delay_us = 0, .commit_rows = 1, .queue_rows = 100});
  for (int i = 0; i < 50; ++i) {
    std::promise<std::string> seen;
    writer_->Submit("ada", 1, Insert(i), [&](const absl::Status& status) {
      EXPECT_TRUE(status.ok()) << status;
      seen.set_value(Ask(*other_, absl::StrCat("SELECT count(*) FROM t WHERE x = ", i)));
    });
    EXPECT_EQ(seen.get_future().get(), "1");
  }
}

TEST_F(WriterTest, AFailedWriteTakesNothingAlong) {
  Start({.commit_delay_us = kNever, .commit_rows = 100, .queue_rows = 100});
  std::future<absl::Status> first = Submit(1, Insert(1));
  std::future<absl::Status> half = Submit(1, [this]() -> absl::Status {
    EXPECT_TRUE(Insert(2)().ok());
    return absl::NotFoundError("the other half");
  });
  std::future<absl::Status> twice = Submit(1, Insert(1));
  std::future<absl::Status> last = Submit(1, Insert(3));
  EXPECT_TRUE(Flush().ok());
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(half.get().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(twice.get().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(last.get().ok());
  EXPECT_EQ(Committed(), "1 3");
  EXPECT_EQ(state_.rollbacks, 0);
}

TEST_F(WriterTest, AFailedCommitIsEverybodysFailure) {
  Start({.commit_delay_us = kNever, .commit_rows = 100, .queue_rows = 100});
  state_.fail_next_commit = true;
  std::future<absl::Status> first = Submit(1, Insert(1));
  std::future<absl::Status> wrong =
      Submit(1, [] { return absl::InvalidArgumentError("its own fault"); });
  EXPECT_EQ(Flush().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(first.get().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(wrong.get().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Committed(), "");
  EXPECT_EQ(state_.rollbacks, 1);
  EXPECT_EQ(state_.refusals, 0);
  // The next group is a new one.
  std::future<absl::Status> again = Submit(1, Insert(1));
  EXPECT_TRUE(Flush().ok());
  EXPECT_TRUE(again.get().ok());
  EXPECT_EQ(Committed(), "1");
}

TEST_F(WriterTest, SomeWritesGoAlone) {
  Start({.commit_delay_us = kNever, .commit_rows = 100, .queue_rows = 100});
  std::future<absl::Status> first = Submit(1, Insert(1));
  EXPECT_TRUE(writer_
                  ->Run(Writer::Grouping::kAlone,
                        [this] {
                          // Those before it are committed, and none has joined it.
                          EXPECT_EQ(Committed(), "1");
                          return Insert(2)();
                        })
                  .ok());
  EXPECT_EQ(state_.commits, 2);
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(Committed(), "1 2");
}

TEST_F(WriterTest, ALoneWriteThatFailsLeavesNothing) {
  Start({.commit_delay_us = 0, .commit_rows = 100, .queue_rows = 100});
  const absl::Status status = writer_->Run(Writer::Grouping::kAlone, [this]() -> absl::Status {
    EXPECT_TRUE(Insert(1)().ok());
    return absl::NotFoundError("the other half");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Committed(), "");
  EXPECT_EQ(state_.rollbacks, 1);
  EXPECT_EQ(state_.refusals, 1);
  EXPECT_TRUE(Submit(1, Insert(1)).get().ok());
}

TEST_F(WriterTest, AWriteIsRefusedForWhatItAsksAndNotForTheDisk) {
  Start({.commit_delay_us = 0, .commit_rows = 100, .queue_rows = 100});
  const auto run_alone = [this](absl::Status status) {
    return writer_->Run(Writer::Grouping::kAlone, [status] { return status; });
  };
  EXPECT_FALSE(run_alone(absl::UnavailableError("the disk")).ok());
  EXPECT_FALSE(run_alone(absl::DataLossError("the file")).ok());
  state_.fail_next_commit = true;
  EXPECT_FALSE(run_alone(absl::OkStatus()).ok());
  EXPECT_EQ(state_.rollbacks, 3);
  EXPECT_EQ(state_.refusals, 0);
  EXPECT_FALSE(run_alone(absl::CancelledError("by its caller")).ok());
  EXPECT_FALSE(run_alone(absl::FailedPreconditionError("an old file")).ok());
  EXPECT_EQ(state_.refusals, 2);
}

TEST_F(WriterTest, AFullQueueRefusesAtOnce) {
  Start({.commit_delay_us = kNever, .commit_rows = 1'000, .queue_rows = 10});
  std::promise<void> let_go;
  std::promise<void> entered;
  std::future<absl::Status> first = Submit(6, [&] {
    entered.set_value();
    let_go.get_future().wait();
    return absl::OkStatus();
  });
  entered.get_future().wait();
  std::future<absl::Status> second = Submit(3, Insert(2), "bob");
  // While the writer is busy: the refusal comes from the caller's own thread.
  const absl::Status refused = Submit(2, Insert(3), "eve").get();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.message(), HasSubstr("9 rows wait"));
  let_go.set_value();
  EXPECT_TRUE(Flush().ok());
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_EQ(Committed(), "2");
  std::future<absl::Status> later = Submit(10, Insert(4));
  EXPECT_TRUE(Flush().ok());
  EXPECT_TRUE(later.get().ok());
}

// The writer is busy while reporters queue; says in which order it goes on.
TEST_F(WriterTest, AReporterWithLargeBatchesHoldsUpNoOther) {
  Start({.commit_delay_us = kNever, .commit_rows = 1, .queue_rows = 1'000});
  std::promise<void> let_go;
  std::promise<void> entered;
  std::vector<std::string> order;
  std::vector<std::future<absl::Status>> outcomes;
  outcomes.push_back(Submit(
      100,
      [&] {
        entered.set_value();
        let_go.get_future().wait();
        return absl::OkStatus();
      },
      "mallory"));
  entered.get_future().wait();
  const auto queue = [&](const std::string& owner, int64_t rows) {
    outcomes.push_back(Submit(
        rows,
        [&order, owner] {
          order.push_back(owner);
          return absl::OkStatus();
        },
        owner));
  };
  for (int i = 0; i < 3; ++i) queue("mallory", 100);
  queue("ada", 1);
  queue("ada", 1);
  let_go.set_value();
  for (auto& outcome : outcomes) EXPECT_TRUE(outcome.get().ok());
  EXPECT_THAT(order, ElementsAre("ada", "ada", "mallory", "mallory", "mallory"));
}

TEST_F(WriterTest, AReporterCannotFillTheQueueAlone) {
  Start({.commit_delay_us = kNever, .commit_rows = 1'000, .queue_rows = 100});
  std::promise<void> let_go;
  std::promise<void> entered;
  std::future<absl::Status> first = Submit(
      70,
      [&] {
        entered.set_value();
        let_go.get_future().wait();
        return absl::OkStatus();
      },
      "mallory");
  entered.get_future().wait();
  EXPECT_TRUE(absl::IsResourceExhausted(Submit(10, Insert(1), "mallory").get()));
  std::future<absl::Status> innocent = Submit(10, Insert(2), "ada");
  let_go.set_value();
  EXPECT_TRUE(Flush().ok());
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(innocent.get().ok());
  EXPECT_EQ(Committed(), "2");
}

TEST_F(WriterTest, AWriteLargerThanTheQueueGetsItsTurn) {
  Start({.commit_delay_us = 0, .commit_rows = 5, .queue_rows = 10});
  EXPECT_TRUE(Submit(1'000, Insert(1)).get().ok());
}

TEST_F(WriterTest, TheEndFinishesWhatIsQueued) {
  Start({.commit_delay_us = kNever, .commit_rows = 1'000'000, .queue_rows = 1'000});
  std::vector<std::future<absl::Status>> outcomes;
  outcomes.reserve(100);
  for (int i = 0; i < 100; ++i) outcomes.push_back(Submit(1, Insert(i)));
  writer_.reset();
  for (auto& outcome : outcomes) EXPECT_TRUE(outcome.get().ok());
  EXPECT_EQ(Ask(*other_, "SELECT count(*) FROM t"), "100");
}

TEST_F(WriterTest, MaintenanceTakesTurnsWithWrites) {
  Start({.commit_delay_us = 0, .commit_rows = 5, .queue_rows = 10});
  EXPECT_TRUE(writer_
                  ->Run(Writer::Grouping::kShared,
                        [this] {
                          writer_->RequestMaintenance();
                          return absl::OkStatus();
                        })
                  .ok());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Flush().ok());
  EXPECT_EQ(state_.maintained, 3);  // until there was no more
}

// The page limit is SQLite's own idea of a full disk. It may end the whole transaction then.
TEST_F(WriterTest, AFullDiskFailsTheGroupAndNotTheNext) {
  Start({.commit_delay_us = kNever, .commit_rows = 1'000, .queue_rows = 1'000});
  ASSERT_TRUE(writer_
                  ->Run(Writer::Grouping::kSoon,
                        [this] {
                          return db_->Execute(
                              "CREATE TABLE big (x BLOB) STRICT; PRAGMA max_page_count = 20");
                        })
                  .ok());
  std::future<absl::Status> small = Submit(1, Insert(1));
  std::future<absl::Status> big =
      Submit(1, [this] { return db_->Execute("INSERT INTO big VALUES (zeroblob(1000000))"); });
  EXPECT_TRUE(Flush().ok());  // in a group of its own: a failure ends the group at once
  EXPECT_EQ(small.get().code(), absl::StatusCode::kResourceExhausted);
  const absl::Status full = big.get();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(full.message(), HasSubstr("disk full"));
  EXPECT_EQ(Committed(), "");
  EXPECT_EQ(state_.rollbacks, 1);
  EXPECT_EQ(state_.refusals, 0);
  small = Submit(1, Insert(1));
  EXPECT_TRUE(Flush().ok());
  EXPECT_TRUE(small.get().ok());
  EXPECT_EQ(Committed(), "1");
}

}  // namespace
}  // namespace cox::store
