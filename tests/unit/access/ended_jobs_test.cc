#include "access/ended_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <future>

#include "folder.h"

namespace cox::access {
namespace {

std::function<void()> while_syncing;  // what the disk needs its time for

}  // namespace

// In the place of the C library's: the linker takes the program's own first.
extern "C" int fsync(int fd) {
  if (while_syncing) while_syncing();
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kHour = 3'600 * kSecond;

class EndedJobsTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.Path("ended-jobs"); }
  std::unique_ptr<EndedJobs> Open(size_t max_jobs = EndedJobs::kMaxJobs) {
    auto jobs = EndedJobs::Open(
        Path(), [this] { return now_us_; }, max_jobs);
    EXPECT_TRUE(jobs.ok()) << jobs.status();
    return jobs.ok() ? *std::move(jobs) : nullptr;
  }
  // With a credential of now that is good for an hour.
  bool MayReport(const EndedJobs& jobs, int64_t job) const {
    return jobs.MayReport(job, now_us_, now_us_ + kHour);
  }

  Folder folder_;
  int64_t now_us_ = 1'000 * kHour;
};

TEST_F(EndedJobsTest, ACredentialEndsAtTheTimeLimit) {
  const auto jobs = Open();
  EXPECT_TRUE(jobs->MayReport(7, now_us_, now_us_ + 1));
  EXPECT_FALSE(jobs->MayReport(7, now_us_ - kHour, now_us_));
  EXPECT_FALSE(jobs->MayReport(7, now_us_, now_us_ + EndedJobs::kMaxLifetime_us + 1))
      << "of a job that nobody would remember so long";
}

TEST_F(EndedJobsTest, AndWithItsJobAlsoAfterARestart) {
  const int64_t made_us = now_us_;
  auto jobs = Open();
  now_us_ += kSecond;
  ASSERT_TRUE(jobs->Add(7).ok());
  EXPECT_FALSE(MayReport(*jobs, 7)) << "a node's clock may be ahead";
  EXPECT_TRUE(MayReport(*jobs, 8));
  jobs = Open();
  EXPECT_FALSE(jobs->MayReport(7, made_us, now_us_ + kHour));
  struct stat status {};
  ASSERT_EQ(stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
}

TEST_F(EndedJobsTest, ALaterJobMayHaveTheNumber) {
  const int64_t made_us = now_us_;
  const auto jobs = Open();
  ASSERT_TRUE(jobs->Add(7).ok());
  now_us_ += kHour;
  EXPECT_TRUE(MayReport(*jobs, 7));
  EXPECT_FALSE(jobs->MayReport(7, made_us, now_us_ + kHour));
}

TEST_F(EndedJobsTest, ForgetsWhatNoCredentialOutlives) {
  auto jobs = Open();
  ASSERT_TRUE(jobs->Add(7).ok());
  now_us_ += EndedJobs::kMaxLifetime_us + kHour;
  ASSERT_TRUE(jobs->Add(8).ok());
  jobs = Open();
  std::ifstream file(Path());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "8 " + std::to_string(now_us_) + "\n");
}

TEST_F(EndedJobsTest, IsBounded) {
  auto jobs = Open(10);
  for (int64_t job = 1; job <= 1'000; ++job) {
    now_us_ += kSecond;
    ASSERT_TRUE(jobs->Add(job).ok());
    ASSERT_FALSE(MayReport(*jobs, job)) << "the newest counts";
  }
  struct stat status {};
  ASSERT_EQ(stat(Path().c_str(), &status), 0);
  EXPECT_LE(status.st_size, 11 * 32);
  jobs = Open(10);
  EXPECT_FALSE(MayReport(*jobs, 1'000));
}

MATCHER_P2(Ended, job, end_time_us, "") { return arg.job == job && arg.end_time_us == end_time_us; }

TEST_F(EndedJobsTest, ListsThemInTheOrderOfTheirEnds) {
  auto jobs = Open();
  EXPECT_EQ(jobs->LatestEnd_us(), 0);
  EXPECT_THAT(jobs->Since(0, 10), IsEmpty());
  const int64_t first_us = now_us_;
  ASSERT_TRUE(jobs->Add(9).ok());
  now_us_ += kSecond;
  ASSERT_TRUE(jobs->Add(7).ok());
  for (const bool is_reopened : {false, true}) {
    if (is_reopened) jobs = Open();
    EXPECT_THAT(jobs->Since(0, 10), ElementsAre(Ended(9, first_us), Ended(7, now_us_)));
    EXPECT_THAT(jobs->Since(first_us, 1), ElementsAre(Ended(9, first_us)));
    EXPECT_THAT(jobs->Since(first_us + 1, 10), ElementsAre(Ended(7, now_us_)));
    EXPECT_EQ(jobs->LatestEnd_us(), now_us_);
  }
}

TEST_F(EndedJobsTest, LearnsFromAnotherDaemonAndKeepsTheLatestEnd) {
  auto jobs = Open();
  const auto text = [this] {
    std::ifstream file(Path());
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  ASSERT_TRUE(jobs->AddAll({{7, now_us_}, {8, now_us_ + kSecond}}).ok());
  const std::string first = text();
  EXPECT_THAT(first, HasSubstr("7 "));
  ASSERT_TRUE(jobs->AddAll({{7, now_us_ - kSecond}, {8, now_us_ + kSecond}}).ok());
  EXPECT_EQ(text(), first) << "all of this is known";
  ASSERT_TRUE(jobs->AddAll({{7, now_us_ + kHour}}).ok());
  EXPECT_NE(text(), first) << "a later job had the number";
  jobs = Open();
  EXPECT_THAT(jobs->Since(0, 10),
              ElementsAre(Ended(8, now_us_ + kSecond), Ended(7, now_us_ + kHour)));
  EXPECT_FALSE(jobs->MayReport(7, now_us_ + kHour, now_us_ + 2 * kHour));
}

TEST_F(EndedJobsTest, WritesLaterWhatTheDiskRefused) {
  const auto jobs = Open();
  ASSERT_EQ(mkdir(Path().c_str(), 0700), 0);
  EXPECT_EQ(jobs->Add(7).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(MayReport(*jobs, 7));
  ASSERT_EQ(rmdir(Path().c_str()), 0);
  ASSERT_TRUE(jobs->AddAll({}).ok());
  EXPECT_FALSE(MayReport(*Open(), 7));
}

// Every call with a job's credential asks.
TEST_F(EndedJobsTest, AQuestionDoesNotWaitForTheDisk) {
  const auto jobs = Open(2);
  ASSERT_TRUE(jobs->AddAll({{7, now_us_}, {8, now_us_}}).ok());
  std::future<bool> may_report;
  bool has_answered = false;
  while_syncing = [&] {
    may_report = std::async(std::launch::async, [&] { return MayReport(*jobs, 9); });
    has_answered = may_report.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  };
  EXPECT_TRUE(jobs->Add(9).ok());  // one too many: the file is written anew
  while_syncing = nullptr;
  EXPECT_TRUE(has_answered);
  EXPECT_FALSE(may_report.get());
}

TEST_F(EndedJobsTest, AnUnfinishedLineDoesNotCount) {
  folder_.Write("ended-jobs", "7 " + std::to_string(now_us_) + "\n8 36");
  chmod(Path().c_str(), 0600);
  const auto jobs = Open();
  EXPECT_FALSE(MayReport(*jobs, 7));
  EXPECT_TRUE(MayReport(*jobs, 8));
  ASSERT_TRUE(jobs->Add(9).ok());
  EXPECT_FALSE(MayReport(*Open(), 9));
}

TEST_F(EndedJobsTest, AWrongFileIsNamed) {
  folder_.Write("ended-jobs", "7 1\nx y\n");
  chmod(Path().c_str(), 0600);
  const auto wrong = EndedJobs::Open(Path(), [] { return int64_t{1}; });
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(wrong.status().message(), HasSubstr(Path() + ": line 2"));
  folder_.Write("ended-jobs", "");
  chmod(Path().c_str(), 0666);
  EXPECT_THAT(EndedJobs::Open(Path(), [] { return int64_t{1}; }).status().message(),
              HasSubstr("chmod 600"));
}

}  // namespace
}  // namespace cox::access
