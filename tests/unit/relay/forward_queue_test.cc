#include "relay/forward_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/reports/spooled.h"
#include "folder.h"

namespace cox::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Result = ForwardQueue::Result;

store::OutboxBatch BatchOf(const std::string& job, int64_t sequence) {
  v1::StreamObservationsRequest request;
  request.mutable_batch()->set_job(job);
  request.mutable_batch()->set_sequence(sequence);
  return {.job = job, .sequence = sequence, .bytes = request.SerializeAsString()};
}

// A coxd that stores each (job, sequence) once, is away or refuses when told to.
class FakeCoxd {
 public:
  std::vector<v1::StreamObservationsResponse> Send(
      const std::vector<store::WaitingBatch>& batches) {
    std::this_thread::sleep_for(delay_.load());
    const std::lock_guard lock(mutex_);
    ++call_count_;
    std::vector<v1::StreamObservationsResponse> responses;
    for (const store::WaitingBatch& waiting : batches) {
      if (is_away_) break;
      v1::StreamObservationsRequest request;
      EXPECT_TRUE(request.ParseFromString(waiting.bytes));
      const auto& batch = request.batch();
      if (batch.job() == breaking_job_) break;
      v1::StreamObservationsResponse response;
      response.set_sequence(batch.sequence());
      const auto refusal = refusals_.find(batch.job());
      if (refusal != refusals_.end()) {
        response.set_error_code(static_cast<int>(refusal->second.code));
        response.set_error_message("because");
        response.set_retry_delay_s(refusal->second.delay_s);
      } else {
        const std::string name = absl::StrCat(batch.job(), "/", batch.sequence());
        const bool is_new = stored_names_.insert(name).second;
        if (is_new) stored_.push_back(name);
        response.mutable_result()->set_duplicate(!is_new);
      }
      responses.push_back(response);
    }
    if (answers_are_lost_) responses.clear();
    return responses;
  }
  void SetDelay(std::chrono::milliseconds delay) { delay_ = delay; }
  void SetAway(bool away) {
    const std::lock_guard lock(mutex_);
    is_away_ = away;
  }
  // Stores, and the connection breaks before the answer.
  void LoseAnswers(bool lose) {
    const std::lock_guard lock(mutex_);
    answers_are_lost_ = lose;
  }
  // As a batch that coxd finds too large.
  void BreakAt(const std::string& job) {
    const std::lock_guard lock(mutex_);
    breaking_job_ = job;
  }
  void Refuse(const std::string& job, absl::StatusCode code, double delay_s = 0.01) {
    const std::lock_guard lock(mutex_);
    refusals_[job] = {code, delay_s};
  }
  void Admit(const std::string& job) {
    const std::lock_guard lock(mutex_);
    refusals_.erase(job);
  }
  std::vector<std::string> stored() {
    const std::lock_guard lock(mutex_);
    return stored_;
  }
  int call_count() {
    const std::lock_guard lock(mutex_);
    return call_count_;
  }

 private:
  std::atomic<std::chrono::milliseconds> delay_{};
  std::mutex mutex_;
  bool is_away_ = false;
  bool answers_are_lost_ = false;
  std::string breaking_job_ = "none";
  int call_count_ = 0;
  struct Refusal {
    absl::StatusCode code;
    double delay_s;
  };
  std::map<std::string, Refusal> refusals_;
  std::set<std::string> stored_names_;
  std::vector<std::string> stored_;
};

class ForwardQueueTest : public ::testing::Test {
 protected:
  // Nobody loses patience on a slow machine, unless the test wants it.
  void Start(const QueueLimits& limits = {.spool_bytes = 1 << 20,
                                          .patience = std::chrono::minutes(2)}) {
    queue_.reset();
    auto outbox = store::OpenOutbox({.directory = folder_.Path("spool")});
    ASSERT_TRUE(outbox.ok()) << outbox.status();
    auto queue = ForwardQueue::Start(*std::move(outbox), limits,
                                     [this](const auto& batches) { return coxd_.Send(batches); });
    ASSERT_TRUE(queue.ok()) << queue.status();
    queue_ = *std::move(queue);
  }
  std::future<Result> Add(const std::string& job, int64_t sequence) {
    auto promise = std::make_shared<std::promise<Result>>();
    std::future<Result> future = promise->get_future();
    queue_->Add(BatchOf(job, sequence),
                [promise](Result result) { promise->set_value(std::move(result)); });
    return future;
  }
  void AwaitCalls(int count) {
    while (coxd_.call_count() < count) std::this_thread::yield();
  }
  void AwaitEmpty() {
    while (queue_->waiting_bytes() > 0) std::this_thread::yield();
  }

  const Folder folder_;
  FakeCoxd coxd_;
  std::unique_ptr<ForwardQueue> queue_;
};

TEST_F(ForwardQueueTest, AnswersWhatCoxdAnswers) {
  Start();
  coxd_.Refuse("bad", absl::StatusCode::kInvalidArgument);
  auto first = Add("job", 1);
  auto bad = Add("bad", 2);
  auto again = Add("job", 1);
  EXPECT_TRUE(first.get().ok());
  const Result refused = bad.get();
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  EXPECT_EQ(refused.status().message(), "because");
  EXPECT_TRUE(again.get().ok());
  EXPECT_THAT(coxd_.stored(), ElementsAre("job/1"));
  AwaitEmpty();
}

TEST_F(ForwardQueueTest, KnowsWhetherABatchCouldBeKept) {
  coxd_.SetAway(true);
  const auto bytes = static_cast<int64_t>(BatchOf("job/1", 1).bytes.size());
  Start({.spool_bytes = bytes, .patience = std::chrono::minutes(2)});
  EXPECT_TRUE(queue_->Check("job").ok());
  auto added = Add("job/1", 1);
  const absl::Status full = queue_->Check("job");
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("relay-spool"));
  EXPECT_EQ(queue_->waiting_bytes(), bytes) << "asking takes no room";
}

TEST_F(ForwardQueueTest, KnowsThatItsSpoolIsDamaged) {
  {
    // Its bytes fill pages of their own, which only a read of the batch touches.
    const auto outbox = store::OpenOutbox({.directory = folder_.Path("spool")});
    ASSERT_TRUE((*outbox)->Commit({{"job", 1, std::string(100'000, 'x')}}, {}).ok());
  }
  std::fstream file(folder_.Path("spool/outbox.db"), std::ios::in | std::ios::out);
  file.seekp(50'000) << std::string(8'192, '\xff');
  file.close();
  Start();
  const absl::Status damaged = queue_->Check("job");
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
  EXPECT_THAT(std::string(damaged.message()), HasSubstr("cannot read its spool"));
}

TEST_F(ForwardQueueTest, AcknowledgesNothingThatCoxdDoesNotHave) {
  coxd_.SetAway(true);
  Start();
  auto added = Add("job", 1);
  AwaitCalls(3);
  EXPECT_NE(added.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  coxd_.SetAway(false);
  EXPECT_TRUE(added.get().ok());
  EXPECT_THAT(coxd_.stored(), ElementsAre("job/1"));
}

TEST_F(ForwardQueueTest, KeepsWhatWaitsOverARestart) {
  coxd_.SetAway(true);
  Start();
  auto first = Add("job", 1);
  auto second = Add("job", 2);
  AwaitCalls(1);
  Start();
  EXPECT_TRUE(absl::IsUnavailable(first.get().status()));
  EXPECT_TRUE(absl::IsUnavailable(second.get().status()));
  EXPECT_GT(queue_->waiting_bytes(), 0);
  coxd_.SetAway(false);
  AwaitEmpty();
  EXPECT_THAT(coxd_.stored(), ElementsAre("job/1", "job/2"));
  // Gone from the disk, too.
  Start();
  EXPECT_EQ(queue_->waiting_bytes(), 0);
}

TEST_F(ForwardQueueTest, SendsAgainWhatWasStoredWithoutAnAnswer) {
  coxd_.LoseAnswers(true);
  Start();
  auto added = Add("job", 1);
  AwaitCalls(2);
  coxd_.LoseAnswers(false);
  const Result result = added.get();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->duplicate());
  EXPECT_THAT(coxd_.stored(), ElementsAre("job/1"));
}

TEST_F(ForwardQueueTest, AClientThatWaitsLongIsToldToSendAgain) {
  coxd_.SetAway(true);
  Start({.spool_bytes = 1 << 20, .patience = std::chrono::milliseconds(1)});
  const Result late = Add("job", 1).get();
  EXPECT_TRUE(absl::IsUnavailable(late.status())) << late.status();
  EXPECT_THAT(std::string(late.status().message()), HasSubstr("relay's spool"));
  EXPECT_TRUE(domain::IsSpooled(late.status()));
  const int64_t waiting_bytes = queue_->waiting_bytes();
  EXPECT_TRUE(absl::IsUnavailable(Add("job", 1).get().status()));
  EXPECT_EQ(queue_->waiting_bytes(), waiting_bytes) << "it waits once";
  coxd_.SetAway(false);
  AwaitEmpty();
  EXPECT_THAT(coxd_.stored(), ElementsAre("job/1"));
}

TEST_F(ForwardQueueTest, AFullSpoolRefusesWithADelayUntilThereIsRoom) {
  coxd_.SetAway(true);
  const auto batch_bytes = static_cast<int64_t>(BatchOf("job1", 1).bytes.size());
  Start({.spool_bytes = 3 * batch_bytes, .patience = std::chrono::minutes(2)});
  auto first = Add("job1", 1);
  auto second = Add("job2", 1);
  const Result full = Add("job3", 1).get();
  EXPECT_TRUE(absl::IsResourceExhausted(full.status())) << full.status();
  EXPECT_THAT(std::string(full.status().message()), HasSubstr("spool is full"));
  EXPECT_GT(domain::RetryDelayOf(full.status()).value_or(0), 0);
  coxd_.SetAway(false);
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_TRUE(Add("job3", 1).get().ok());
}

TEST_F(ForwardQueueTest, OneReporterLeavesRoomToTheOthers) {
  coxd_.SetAway(true);
  const auto batch_bytes = static_cast<int64_t>(BatchOf("uid:1/job", 1).bytes.size());
  const QueueLimits limits = {.spool_bytes = 40 * batch_bytes, .patience = std::chrono::minutes(2)};
  Start(limits);
  std::vector<std::future<Result>> taken;
  for (int64_t sequence = 1; taken.size() < 40; ++sequence) {
    auto added = Add("uid:1/job", sequence);
    if (added.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      EXPECT_TRUE(absl::IsResourceExhausted(added.get().status()));
      break;
    }
    taken.push_back(std::move(added));
  }
  EXPECT_EQ(taken.size(), 30U);
  // Another job is the same reporter's, also after another start.
  EXPECT_TRUE(absl::IsResourceExhausted(Add("uid:1/job2", 1).get().status()));
  // Stop() answers after the last commit.
  Start(limits);
  for (auto& added : taken) EXPECT_TRUE(absl::IsUnavailable(added.get().status()));
  EXPECT_TRUE(absl::IsResourceExhausted(Add("uid:1/job2", 1).get().status()));
  auto innocent = Add("uid:2/job", 1);
  EXPECT_NE(innocent.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  coxd_.SetAway(false);
  EXPECT_TRUE(innocent.get().ok());
  AwaitEmpty();
  EXPECT_EQ(coxd_.stored().size(), 31U);
}

// More of them than one call to coxd carries, and coxd wants them in an hour.
TEST_F(ForwardQueueTest, AReporterWhomCoxdRefusesForLongHoldsUpNoOther) {
  coxd_.SetAway(true);
  coxd_.Refuse("uid:1/job", absl::StatusCode::kResourceExhausted, 3'600);
  Start();
  std::vector<std::future<Result>> refused;
  for (int64_t sequence = 0; sequence < 600; ++sequence) {
    refused.push_back(Add("uid:1/job", sequence));
  }
  auto before = Add("uid:2/job", 1);
  coxd_.SetAway(false);
  ASSERT_EQ(before.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_TRUE(before.get().ok());
  auto after = Add("uid:2/job", 2);
  ASSERT_EQ(after.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_TRUE(after.get().ok());
  EXPECT_THAT(coxd_.stored(), ElementsAre("uid:2/job/1", "uid:2/job/2"));
}

// The last refusal is the shortest.
TEST_F(ForwardQueueTest, OfSeveralRefusalsInOneAnswerTheLongestCounts) {
  coxd_.SetAway(true);
  Start();
  std::vector<std::future<Result>> refused;
  for (const char* job : {"uid:1/long", "uid:1/short"}) refused.push_back(Add(job, 1));
  queue_.reset();  // both are in the spool, and go in one call
  coxd_.SetAway(false);
  coxd_.Refuse("uid:1/long", absl::StatusCode::kResourceExhausted, 3'600);
  coxd_.Refuse("uid:1/short", absl::StatusCode::kResourceExhausted, 0.01);
  const int before = coxd_.call_count();
  Start();
  AwaitCalls(before + 1);
  // The short one would be over after a quarter of a second.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(coxd_.call_count(), before + 1);
  EXPECT_TRUE(Add("uid:2/job", 1).get().ok());
}

TEST_F(ForwardQueueTest, ABatchThatMustWaitHoldsUpNoOther) {
  coxd_.Refuse("busy", absl::StatusCode::kResourceExhausted);
  Start();
  auto busy = Add("busy", 1);
  for (int64_t sequence = 0; sequence < 4; ++sequence) {
    EXPECT_TRUE(Add("job", sequence).get().ok()) << sequence;
  }
  EXPECT_NE(busy.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  coxd_.Admit("busy");
  EXPECT_TRUE(busy.get().ok());
  EXPECT_EQ(coxd_.stored().back(), "busy/1");
}

TEST_F(ForwardQueueTest, OthersThatComeWithoutAPauseHoldUpNoBatchThatHadToWait) {
  coxd_.Refuse("busy", absl::StatusCode::kResourceExhausted);
  coxd_.SetDelay(std::chrono::milliseconds(20));
  Start();
  auto busy = Add("busy", 1);
  std::atomic<bool> ends = false;
  std::thread others([&] {
    for (int64_t sequence = 0; !ends; ++sequence) {
      (void)Add("job", sequence);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  AwaitCalls(10);
  coxd_.Admit("busy");
  EXPECT_EQ(busy.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  ends = true;
  others.join();
}

TEST_F(ForwardQueueTest, ABatchThatBreaksTheConnectionHoldsUpNoOther) {
  coxd_.BreakAt("large");
  Start();
  auto large = Add("large", 1);
  auto before = Add("job", 1);
  EXPECT_TRUE(before.get().ok());
  EXPECT_TRUE(Add("job", 2).get().ok());
  EXPECT_NE(large.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  coxd_.BreakAt("none");
  EXPECT_TRUE(large.get().ok());
}

TEST_F(ForwardQueueTest, ManyThreadsAddAtOnce) {
  Start();
  constexpr int kThreads = 8;
  constexpr int kBatches = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int64_t sequence = 0; sequence < kBatches; ++sequence) {
        EXPECT_TRUE(Add(absl::StrCat("job", t), sequence).get().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(coxd_.stored().size(), static_cast<size_t>(kThreads * kBatches));
  EXPECT_EQ(queue_->waiting_bytes(), 0);
}

}  // namespace
}  // namespace cox::relay
