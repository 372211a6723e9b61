#include "relay/forward_queue.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "domain/errors.h"
#include "domain/principal_name.h"
#include "domain/reports/final_answer.h"
#include "domain/reports/spooled.h"
#include "domain/sharing/name_thread.h"
#include "service/status.h"

namespace cox::relay {
namespace {

using daemon::LogLevel;

constexpr std::chrono::milliseconds kTick{500};
constexpr double kFullDelay_s = 5;
// What one call to coxd carries.
constexpr int64_t kMostBatches = 256;
constexpr int64_t kMostBytes = 1 << 20;
constexpr double kFirstPause_s = 0.25;
constexpr double kMostPause_s = 5;
// coxd may ask for hours (quota-machines), which are the relay's quota and not the reporter's.
constexpr double kMostHold_s = 60;

ForwardQueue::Result ResultOf(const v1::StreamObservationsResponse& response) {
  if (response.error_code() == 0) return response.result();
  return absl::Status(static_cast<absl::StatusCode>(response.error_code()),
                      response.error_message());
}

std::string OwnerOf(const std::string& job) { return std::string(domain::PrincipalOfJob(job)); }

int64_t BytesOf(const std::string& bytes) { return static_cast<int64_t>(bytes.size()); }

void Run(std::vector<std::pair<ForwardQueue::Done, ForwardQueue::Result>>& calls) {
  for (auto& [done, result] : calls) done(std::move(result));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ForwardQueue>> ForwardQueue::Start(
    std::unique_ptr<store::Outbox> outbox, const QueueLimits& limits, Send send) {
  const absl::StatusOr<store::OutboxSize> size = outbox->ReadSize();
  if (!size.ok()) return size.status();
  return std::unique_ptr<ForwardQueue>(
      new ForwardQueue(std::move(outbox), limits, std::move(send), *size));
}

ForwardQueue::ForwardQueue(std::unique_ptr<store::Outbox> outbox, const QueueLimits& limits,
                           Send send, const store::OutboxSize& size)
    : outbox_(std::move(outbox)),
      limits_(limits),
      send_(std::move(send)),
      waiting_(limits.spool_bytes),
      last_id_(size.last_id),
      random_(std::random_device()()) {
  for (const auto& [job, bytes] : size.bytes_by_job) waiting_.Hold(OwnerOf(job), bytes);
  spooler_ = std::thread([this] { SpoolLoop(); });
  forwarder_ = std::thread([this] { ForwardLoop(); });
}

ForwardQueue::~ForwardQueue() { Stop(); }

void ForwardQueue::Add(store::OutboxBatch batch, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!ending_ && waiting_.Take(OwnerOf(batch.job), BytesOf(batch.bytes))) {
      arrivals_.push_back({.batch = std::move(batch), .done = std::move(done)});
      spool_wake_.notify_one();
      return;
    }
    if (ending_) batch.bytes.clear();
  }
  if (batch.bytes.empty()) {
    done(service::ShuttingDown("the relay is ending; send the batch again"));
    return;
  }
  done(Full());
}

absl::Status ForwardQueue::Full() const {
  return domain::QuotaExceeded(
      absl::StrCat("the relay's spool is full (relay-spool, ", limits_.spool_bytes,
                   " bytes), or this reporter's share of it, because coxd does not take its"
                   " batches"),
      kFullDelay_s);
}

absl::Status ForwardQueue::Check(const std::string& reporter) {
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.Take(reporter, 1)) return Full();
    waiting_.GiveBack(reporter, 1);
  }
  absl::Status read = outbox_->Read(0, 1, 1).status();
  if (read.ok()) {
    const std::lock_guard lock(mutex_);
    read = last_read_;
  }
  if (read.ok()) return read;
  return {read.code(), absl::StrCat("the relay cannot read its spool: ", read.message())};
}

int64_t ForwardQueue::waiting_bytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_.held();
}

void ForwardQueue::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    spool_wake_.notify_all();
    forward_wake_.notify_all();
  }
  if (forwarder_.joinable()) forwarder_.join();
  {
    // The other thread removes all that was settled.
    const std::lock_guard lock(mutex_);
    forwarder_ended_ = true;
    spool_wake_.notify_all();
  }
  if (spooler_.joinable()) spooler_.join();
}

void ForwardQueue::SpoolLoop() {
  domain::NameThisThread("spool");
  Lock lock(mutex_);
  while (!forwarder_ended_) {
    spool_wake_.wait_for(lock, kTick, [this] {
      return forwarder_ended_ || !arrivals_.empty() || has_newly_settled_;
    });
    CommitGroup(lock);
  }
  // What was settled during the last group.
  CommitGroup(lock);
  Calls calls;
  for (auto& [id, waiters] : waiters_) {
    for (Waiter& waiter : waiters) {
      calls.emplace_back(std::move(waiter.done),
                         service::ShuttingDown("the relay is ending; the batch is in its spool"));
    }
  }
  waiters_.clear();
  lock.unlock();
  Run(calls);
}

void ForwardQueue::CommitGroup(Lock& lock) {
  std::vector<Arrival> arrivals = std::exchange(arrivals_, {});
  has_newly_settled_ = false;
  std::vector<int64_t> removed;
  removed.reserve(settled_.size());
  for (const auto& [id, settled] : settled_) removed.push_back(id);
  absl::StatusOr<std::vector<int64_t>> ids = std::vector<int64_t>();
  absl::Status kept = absl::OkStatus();
  if (!arrivals.empty() || !removed.empty()) {
    std::vector<store::OutboxBatch> batches;
    batches.reserve(arrivals.size());
    for (const Arrival& arrival : arrivals) batches.push_back(arrival.batch);
    lock.unlock();
    ids = outbox_->Commit(batches, removed);
    kept = ids.status();
    // Room for later ones.
    if (!ids.ok() && !batches.empty() && !removed.empty()) {
      kept = outbox_->Commit({}, removed).status();
    }
    lock.lock();
  }
  Calls calls;
  if (kept.ok()) {
    for (const int64_t id : removed) settled_.erase(id);
  }
  if (ids.ok()) {
    Register(std::move(arrivals), *ids, &calls);
  } else {
    Refuse(std::move(arrivals), ids.status(), &calls);
  }
  ReleaseLate(&calls);
  lock.unlock();
  Run(calls);
  lock.lock();
}

void ForwardQueue::Register(std::vector<Arrival> arrivals, const std::vector<int64_t>& ids,
                            Calls* calls) {
  const Clock::time_point until = Clock::now() + limits_.patience;
  for (size_t i = 0; i < arrivals.size(); ++i) {
    if (ids[i] > last_id_) {
      last_id_ = ids[i];
      has_more_ = true;
    } else {
      // It waits already, and counts once.
      waiting_.GiveBack(OwnerOf(arrivals[i].batch.job), BytesOf(arrivals[i].batch.bytes));
    }
    const auto settled = settled_.find(ids[i]);
    if (settled != settled_.end()) {
      calls->emplace_back(std::move(arrivals[i].done), ResultOf(settled->second));
    } else {
      waiters_[ids[i]].push_back({.done = std::move(arrivals[i].done), .until = until});
    }
  }
  forward_wake_.notify_one();
}

void ForwardQueue::Refuse(std::vector<Arrival> arrivals, const absl::Status& why, Calls* calls) {
  if (arrivals.empty()) return;
  daemon::Log(LogLevel::kError, "cannot spool", {{"error", std::string(why.message())}});
  const absl::Status status =
      absl::IsResourceExhausted(why)
          ? domain::QuotaExceeded(absl::StrCat("the relay cannot spool: ", why.message()),
                                  kFullDelay_s)
          : why;
  for (Arrival& arrival : arrivals) {
    waiting_.GiveBack(OwnerOf(arrival.batch.job), BytesOf(arrival.batch.bytes));
    calls->emplace_back(std::move(arrival.done), status);
  }
}

void ForwardQueue::ReleaseLate(Calls* calls) {
  const Clock::time_point now = Clock::now();
  if (now < next_release_) return;
  next_release_ = now + kTick;
  for (auto entry = waiters_.begin(); entry != waiters_.end();) {
    std::vector<Waiter>& waiters = entry->second;
    const auto late = std::stable_partition(waiters.begin(), waiters.end(),
                                            [now](const Waiter& w) { return w.until > now; });
    for (auto waiter = late; waiter != waiters.end(); ++waiter) {
      calls->emplace_back(
          std::move(waiter->done),
          domain::Spooled(absl::StrCat("coxd has not answered yet; ", domain::kInSpool,
                                       ": send it again, under the same number, to hear of its "
                                       "end")));
    }
    waiters.erase(late, waiters.end());
    entry = waiters.empty() ? waiters_.erase(entry) : std::next(entry);
  }
}

void ForwardQueue::ForwardLoop() {
  domain::NameThisThread("forward");
  Lock lock(mutex_);
  while (!ending_) {
    const Rest rest = ForwardSome(lock);
    const auto is_over = [&] { return ending_ || (rest.ends_with_news && has_more_); };
    if (rest.seconds == kUntilNews.seconds) {
      forward_wake_.wait(lock, is_over);
    } else if (rest.seconds > 0) {
      forward_wake_.wait_for(lock, std::chrono::duration<double>(rest.seconds), is_over);
    }
  }
}

ForwardQueue::Rest ForwardQueue::ForwardSome(Lock& lock) {
  // What comes without a pause must not keep skipped batches from their next attempt.
  if (cursor_ >= round_end_id_) EndRound();
  has_more_ = false;
  const int64_t after_id = cursor_;
  const bool is_careful = is_away_;
  lock.unlock();
  absl::StatusOr<std::vector<store::WaitingBatch>> batches =
      outbox_->Read(after_id, is_careful ? 1 : kMostBatches, kMostBytes);
  lock.lock();
  last_read_ = batches.status();
  if (!batches.ok()) {
    daemon::Log(LogLevel::kError, "cannot read the spool",
                {{"error", std::string(batches.status().message())}});
    return {.seconds = NextPause(), .ends_with_news = false};
  }
  if (batches->empty()) return has_more_ ? kNone : EndRound();
  const int64_t read_to_id = batches->back().id;
  std::erase_if(*batches, [this](const store::WaitingBatch& batch) {
    const bool is_held = IsHeldBack(batch.job);
    has_skipped_ = has_skipped_ || is_held;
    return is_held || settled_.contains(batch.id);
  });
  if (batches->empty()) {
    cursor_ = read_to_id;
    return kNone;
  }
  lock.unlock();
  const std::vector<v1::StreamObservationsResponse> responses = send_(*batches);
  lock.lock();
  Calls calls;
  for (size_t i = 0; i < responses.size() && i < batches->size(); ++i) {
    const store::WaitingBatch& batch = (*batches)[i];
    if (!domain::IsFinalAnswer(responses[i].error_code())) {
      HoldBack(batch.job, responses[i].retry_delay_s());
      has_skipped_ = true;
      continue;
    }
    waiting_.GiveBack(OwnerOf(batch.job), BytesOf(batch.bytes));
    settled_[batch.id] = responses[i];
    has_newly_settled_ = true;
    const auto waiters = waiters_.find(batch.id);
    if (waiters == waiters_.end()) {
      TellRefused(responses[i]);
      continue;
    }
    for (Waiter& waiter : waiters->second) {
      calls.emplace_back(std::move(waiter.done), ResultOf(responses[i]));
    }
    waiters_.erase(waiters);
  }
  spool_wake_.notify_one();
  const bool is_away = responses.size() < batches->size();
  cursor_ = is_away ? (*batches)[responses.size()].id - 1 : read_to_id;
  // If it is this batch that breaks the connection, it must not hold up the others.
  if (is_away && is_careful) {
    cursor_ = read_to_id;
    has_skipped_ = has_broken_ = true;
  }
  if (is_away != is_away_) {
    is_away_ = is_away;
    daemon::Log(is_away ? LogLevel::kWarning : LogLevel::kInfo,
                is_away ? "coxd does not answer the relay" : "coxd answers the relay",
                {{"waiting_bytes", absl::StrCat(waiting_.held())}});
  }
  lock.unlock();
  Run(calls);
  lock.lock();
  if (is_away) return {.seconds = NextPause(), .ends_with_news = false};
  pause_s_ = 0;
  return kNone;
}

ForwardQueue::Rest ForwardQueue::EndRound() {
  if (!has_skipped_) {
    hold_s_ = 0;
    return kUntilNews;
  }
  const Clock::time_point now = Clock::now();
  Clock::time_point next = Clock::time_point::max();
  bool is_due = has_broken_;
  absl::erase_if(held_back_, [&](const auto& entry) {
    const bool is_over = entry.second <= now;
    is_due = is_due || is_over;
    if (!is_over) next = std::min(next, entry.second);
    return is_over;
  });
  if (!is_due && !held_back_.empty()) {
    return {.seconds = std::chrono::duration<double>(next - now).count(), .ends_with_news = true};
  }
  hold_s_ = std::min(2 * hold_s_, kMostPause_s);
  has_skipped_ = has_broken_ = false;
  cursor_ = 0;
  round_end_id_ = last_id_;
  return kNone;
}

void ForwardQueue::HoldBack(const std::string& job, double wanted_s) {
  hold_s_ = std::max(hold_s_, kFirstPause_s);
  const double hold_s = std::max(std::min(wanted_s, kMostHold_s), Randomly(hold_s_));
  const Clock::time_point until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(hold_s));
  // Of several refusals in one answer the longest counts.
  Clock::time_point& held_until = held_back_[OwnerOf(job)];
  held_until = std::max(held_until, until);
}

bool ForwardQueue::IsHeldBack(const std::string& job) const {
  const auto found = held_back_.find(OwnerOf(job));
  return found != held_back_.end() && found->second > Clock::now();
}

void ForwardQueue::TellRefused(const v1::StreamObservationsResponse& response) {
  const bool is_whole = response.error_code() != 0;
  const v1::ReportObservationsResponse& result = response.result();
  if (!is_whole && result.refused_count() == 0) return;
  const std::optional<int64_t> suppressed = refusals_.Admit(daemon::NowMicros());
  if (!suppressed) return;
  daemon::Log(LogLevel::kWarning,
              is_whole ? "coxd refused a batch whose client is gone"
                       : "coxd refused rows of a batch whose client is gone",
              {{"error", is_whole ? response.error_message() : result.refused_reason()},
               {"suppressed", absl::StrCat(*suppressed)}});
}

double ForwardQueue::NextPause() {
  pause_s_ = pause_s_ == 0 ? kFirstPause_s : std::min(pause_s_ * 2, kMostPause_s);
  return Randomly(pause_s_);
}

double ForwardQueue::Randomly(double seconds) {
  return seconds * std::uniform_real_distribution<double>(0.5, 1)(random_);
}

}  // namespace cox::relay
