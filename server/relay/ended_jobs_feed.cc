#include "relay/ended_jobs_feed.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "daemon/log.h"
#include "domain/sharing/name_thread.h"
#include "service/convert/timestamp.h"
#include "service/limits.h"

namespace cox::relay {
namespace {

constexpr std::chrono::seconds kEndedJobsPatience{10};
// After a failure another coxd may answer, which heard of some ends at other times.
constexpr int64_t kOverlap_us = int64_t{5} * 60 * 1'000'000;
// Bounds a round against a coxd that never runs out of jobs: it remembers at most kMaxJobs.
constexpr int kMostAnswers = access::EndedJobs::kMaxJobs / service::kMaxEndedJobs;

}  // namespace

EndedJobsFeed::EndedJobsFeed(access::EndedJobs* jobs, access::EndedJobs::Clock clock, Ask ask,
                             std::chrono::milliseconds interval)
    : jobs_(jobs),
      clock_(std::move(clock)),
      ask_(std::move(ask)),
      interval_(interval),
      since_us_(WithOverlap()),
      thread_([this] { Loop(); }) {}

EndedJobsFeed::~EndedJobsFeed() { Stop(); }

int64_t EndedJobsFeed::WithOverlap() const {
  return std::max<int64_t>(0, std::min(jobs_->LatestEnd_us(), clock_()) - kOverlap_us);
}

void EndedJobsFeed::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (asking_ != nullptr) asking_->TryCancel();
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void EndedJobsFeed::Loop() {
  domain::NameThisThread("ended-jobs");
  std::unique_lock lock(mutex_);
  while (!ending_) {
    lock.unlock();
    for (int i = 0; i < kMostAnswers && LearnSome(); ++i) {
    }
    lock.lock();
    wake_.wait_for(lock, interval_, [this] { return ending_; });
  }
}

bool EndedJobsFeed::LearnSome() {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kEndedJobsPatience);
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    asking_ = &context;
  }
  v1::ListEndedJobsRequest request;
  *request.mutable_since_time() = service::ToTimestamp(since_us_);
  v1::ListEndedJobsResponse response;
  const grpc::Status status = ask_(&context, request, &response);
  {
    const std::lock_guard lock(mutex_);
    asking_ = nullptr;
    if (ending_) return false;
  }
  if (!status.ok()) {
    since_us_ = std::min(since_us_, WithOverlap());
    // The relay says itself that coxd is away.
    const bool is_away = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                         status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    Tell(is_away
             ? ""
             : absl::StrCat("coxd does not say which jobs have ended: ", status.error_message()));
    return false;
  }
  std::vector<access::EndedJob> ended;
  int64_t latest_us = since_us_;
  for (const v1::EndedJob& job : response.jobs()) {
    const int64_t end_time_us = service::ToMicroseconds(job.end_time());
    if (job.number() <= 0 || end_time_us <= 0) continue;
    ended.push_back({.job = job.number(), .end_time_us = end_time_us});
    latest_us = std::max(latest_us, end_time_us);
  }
  const absl::Status added = jobs_->AddAll(ended);
  Tell(added.ok() ? "" : std::string(added.message()));
  // A clock of coxd that was ahead must not hide later ends.
  latest_us = std::min(latest_us, clock_());
  const bool is_further = latest_us > since_us_;
  since_us_ = std::max(since_us_, latest_us);
  return is_further && response.jobs_size() >= service::kMaxEndedJobs;
}

void EndedJobsFeed::Tell(const std::string& problem) {
  if (!problem.empty() && problem != told_) {
    daemon::Log(daemon::LogLevel::kError, "credentials of ended jobs may count here",
                {{"problem", problem}});
  }
  told_ = problem;
}

}  // namespace cox::relay
