#include "relay/ended_jobs_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "folder.h"
#include "service/convert/timestamp.h"
#include "service/limits.h"

namespace cox::relay {
namespace {

using ::testing::MatchesRegex;
using ::testing::SizeIs;
using namespace std::chrono_literals;

constexpr int64_t kSecond_us = 1'000'000;
constexpr int64_t kNow_us = int64_t{1'000'000} * kSecond_us;
constexpr int64_t kOverlap_us = 300 * kSecond_us;

v1::EndedJob Job(int64_t number, int64_t end_time_us) {
  v1::EndedJob job;
  job.set_number(number);
  *job.mutable_end_time() = service::ToTimestamp(end_time_us);
  return job;
}

// coxd with some ended jobs, which is away or slow when told to.
class FakeEnds {
 public:
  EndedJobsFeed::Ask Ask() {
    return [this](grpc::ClientContext* /*context*/, const v1::ListEndedJobsRequest& request,
                  v1::ListEndedJobsResponse* response) {
      const std::lock_guard lock(mutex_);
      const int64_t since_us = service::ToMicroseconds(request.since_time());
      asked_.push_back(since_us);
      if (!status_.ok()) return status_;
      for (const v1::EndedJob& job : jobs_) {
        if (response->jobs_size() == service::kMaxEndedJobs) break;
        if (service::ToMicroseconds(job.end_time()) >= since_us) *response->add_jobs() = job;
      }
      return grpc::Status::OK;
    };
  }
  void Add(const v1::EndedJob& job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  void Answer(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  std::vector<int64_t> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  void AwaitQuestions(size_t count) const {
    while (asked().size() < count) std::this_thread::sleep_for(1ms);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<v1::EndedJob> jobs_;
  std::vector<int64_t> asked_;
  grpc::Status status_;
};

class EndedJobsFeedTest : public ::testing::Test {
 protected:
  std::unique_ptr<EndedJobsFeed> Start() {
    return std::make_unique<EndedJobsFeed>(
        jobs_.get(), [] { return kNow_us; }, coxd_.Ask(), 1ms);
  }
  bool MayReport(int64_t job) const {
    return jobs_->MayReport(job, kNow_us - 3'600 * kSecond_us, kNow_us + kSecond_us);
  }
  void AwaitEnd(int64_t job) const {
    while (MayReport(job)) std::this_thread::sleep_for(1ms);
  }

  Folder folder_;
  FakeEnds coxd_;
  std::unique_ptr<access::EndedJobs> jobs_ =
      *access::EndedJobs::Open(folder_.Path("ended-jobs"), [] { return kNow_us; });
};

TEST_F(EndedJobsFeedTest, LearnsOfEachEndOnce) {
  coxd_.Add(Job(7, kNow_us - kSecond_us));
  const auto feed = Start();
  AwaitEnd(7);
  EXPECT_TRUE(MayReport(8));
  coxd_.Add(Job(8, kNow_us));
  AwaitEnd(8);
  coxd_.AwaitQuestions(coxd_.asked().size() + 3);
  std::ifstream file(folder_.Path("ended-jobs"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, MatchesRegex("7 [0-9]+\n8 [0-9]+\n")) << "each is written once";
  EXPECT_EQ(coxd_.asked().front(), 0);
  EXPECT_EQ(coxd_.asked().back(), kNow_us) << "only for later ends";
}

TEST_F(EndedJobsFeedTest, ReadsAllPages) {
  for (int64_t job = 1; job <= 2 * service::kMaxEndedJobs; ++job) {
    coxd_.Add(Job(job, kNow_us - kSecond_us + job));
  }
  const auto feed = Start();
  AwaitEnd(2 * service::kMaxEndedJobs);
  EXPECT_THAT(jobs_->Since(0, 1'000'000), SizeIs(2 * service::kMaxEndedJobs));
}

TEST_F(EndedJobsFeedTest, AfterAFailureAsksAgainForTheLastMinutes) {
  ASSERT_TRUE(jobs_->AddAll({{7, kNow_us}}).ok());
  coxd_.Answer({grpc::StatusCode::UNAVAILABLE, "away"});
  const auto feed = Start();
  coxd_.AwaitQuestions(3);
  coxd_.Answer(grpc::Status::OK);
  coxd_.Add(Job(8, kNow_us - kOverlap_us / 2));
  AwaitEnd(8);
  EXPECT_EQ(coxd_.asked()[0], kNow_us - kOverlap_us);
  EXPECT_EQ(coxd_.asked()[2], kNow_us - kOverlap_us) << "however long coxd is away";
  coxd_.Answer({grpc::StatusCode::UNAVAILABLE, "away"});
  coxd_.AwaitQuestions(coxd_.asked().size() + 2);
  EXPECT_EQ(coxd_.asked().back(), kNow_us - kOverlap_us) << "asks again for them";
}

TEST_F(EndedJobsFeedTest, AClockOfCoxdThatIsAheadHidesNoLaterEnd) {
  coxd_.Add(Job(7, kNow_us + 10'000 * kSecond_us));
  const auto feed = Start();
  AwaitEnd(7);
  coxd_.AwaitQuestions(coxd_.asked().size() + 3);
  EXPECT_LE(coxd_.asked().back(), kNow_us);
}

TEST_F(EndedJobsFeedTest, LeavesOutWhatIsNoEnd) {
  coxd_.Add(Job(0, kNow_us));
  coxd_.Add(Job(-1, kNow_us));
  coxd_.Add(Job(7, kNow_us));
  const auto feed = Start();
  AwaitEnd(7);
  EXPECT_THAT(jobs_->Since(0, 10), SizeIs(1));
}

}  // namespace
}  // namespace cox::relay
