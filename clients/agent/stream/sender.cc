#include "agent/stream/sender.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "agent/job/log.h"
#include "agent/stream/pauses.h"
#include "domain/reports/final_answer.h"
#include "domain/words/counted.h"
#include "servers/server_list.h"

namespace cox::agent {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr size_t kMaxBatches = 16;
constexpr size_t kMaxObservations = 16'384;
constexpr Seconds kPause(1.0);
constexpr Seconds kMaxPause(30.0);
// A daemon that needs longer than this for one batch is taken to hang.
constexpr Seconds kPatience(10.0);

// Within the API's limits: at most 128 bytes of UTF-8, no control characters. Does not query the
// user database, which may be behind a network: this runs in the application's process.
std::string UserAtHost() {
  const char* const name = getenv("USER");
  std::string source = name != nullptr && *name != '\0' ? std::string(name).substr(0, 48)
                                                        : "uid" + std::to_string(getuid());
  char host[65] = {};
  if (gethostname(host, sizeof(host) - 1) == 0 && host[0] != '\0') source = source + "@" + host;
  for (char& c : source) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return source;
}

}  // namespace

Sender::Sender(const std::string& server, std::string job, int64_t first_sequence,
               std::string spool, bool log)
    : job_(std::move(job)),
      source_(UserAtHost()),
      log_(log),
      connection_(server),
      spool_(std::move(spool)),
      next_sequence_(first_sequence) {
  std::thread([this] {
    pthread_setname_np(pthread_self(), "cox-send");
    try {
      Run();
    } catch (const std::exception& exception) {
      // Probably out of memory. The queue fills and is spooled; the job continues.
      Log(exception.what());
    }
  }).detach();
}

void Sender::Push(std::vector<Observation> observations, int64_t dropped_count,
                  Measurement measurement, std::vector<domain::PatternSketch> sketches) {
  std::lock_guard lock(mutex_);
  dropped_count_ += dropped_count;
  if (sending_ && Clock::now() - sending_since_ > kPatience) connection_.Cancel();
  if (observations.empty() && sketches.empty() && dropped_count_ == 0) return;
  auto batch = std::make_shared<Batch>();
  batch->job = job_;
  batch->source = source_;
  batch->sequence = next_sequence_++;
  batch->dropped_count = dropped_count_;
  batch->observations = std::move(observations);
  batch->sketches = std::move(sketches);
  batch->measurement = measurement;
  dropped_count_ = 0;
  queued_observations_ += batch->observations.size();
  queue_.push_back(std::move(batch));
  while (queue_.size() > kMaxBatches || queued_observations_ > kMaxObservations) SpoolOldest();
  changed_.notify_all();
}

bool Sender::SpoolOldest() {
  // A batch that the daemon may already have must not be counted again by an import of the spool.
  // It stays queued, to be sent again under its number.
  const auto oldest = queue_.begin() + (queue_.size() > 1 && in_doubt_ ? 1 : 0);
  const std::shared_ptr<const Batch> batch = *oldest;
  queue_.erase(oldest);
  queued_observations_ -= batch->observations.size();
  const int64_t lost = spool_.Append(*batch);
  dropped_count_ += batch->dropped_count + lost;
  if (lost > 0) {
    Log("lost " + std::to_string(lost) + " timings: cannot spool to " + spool_.path() + ": " +
        spool_.problem());
  }
  return lost < batch->timing_count();
}

void Sender::Close(Clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [this] { return queue_.empty() || failing_; });
    closed_ = true;
    changed_.notify_all();
    // Spools the batch in doubt too, although the daemon may have stored it: twice is better than
    // never.
    in_doubt_ = false;
    int spooled = 0;
    while (!queue_.empty()) spooled += SpoolOldest() ? 1 : 0;
    // Not before: the spool may take another name.
    if (spooled > 0) {
      Log(domain::Counted(spooled, "batch", "batches") + " could not be sent; kept in " +
          spool_.path());
    }
    if (dropped_count_ > 0) Log("dropped " + domain::Counted(dropped_count_, "timing"));
    if (refused_count_ > 0) {
      Log("coxd refused " + domain::Counted(refused_count_, "observation") + " of new scenarios");
    }
  }
  connection_.Cancel();
}

void Sender::Run() {
  Pauses pauses(servers::RandomSeed());
  while (WaitForBatch()) {
    const int64_t sent_before = sent_count_;
    const bool started = connection_.Start();
    const Next next = started ? Converse() : Next::kFailure;
    const std::string problem = connection_.End();
    std::unique_lock lock(mutex_);
    if (closed_) return;
    if (next == Next::kCall) continue;
    const bool had_answers = sent_count_ > sent_before;
    // If one has ended, another one is likely to answer.
    failing_ = !started || !connection_.has_several_servers();
    changed_.notify_all();
    Log("cannot send timings to coxd: " + (problem.empty() ? std::string("no answer") : problem));
    const Seconds pause = had_answers ? pauses.AfterBreak() : pauses.AfterFailure();
    changed_.wait_for(lock, pause, [this] { return closed_; });
    failing_ = false;
  }
}

Sender::Next Sender::Converse() {
  while (const std::shared_ptr<const Batch> batch = TakeBatch()) {
    std::string response;
    const bool answered = connection_.Exchange(EncodeRequest(*batch), &response);
    const Next next = Settle(*batch, answered, response);
    if (next != Next::kBatch) return next;
  }
  return Next::kFailure;
}

bool Sender::WaitForBatch() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
  return !closed_;
}

std::shared_ptr<const Batch> Sender::TakeBatch() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
  if (closed_) return nullptr;
  sending_ = in_doubt_ = true;
  sending_since_ = Clock::now();
  return queue_.front();
}

Sender::Next Sender::Settle(const Batch& batch, bool answered, const std::string& response_bytes) {
  std::unique_lock lock(mutex_);
  sending_ = false;
  if (closed_ || !answered) return Next::kFailure;
  const std::optional<Response> response = DecodeResponse(response_bytes);
  if (!response || response->sequence != batch.sequence) return Next::kFailure;
  ++sent_count_;
  if (!domain::IsFinalAnswer(response->error_code)) {
    // It may be the same for batch after batch.
    if (told_problem_ != response->error_message) {
      Log("coxd cannot take timings now: " + response->error_message);
      told_problem_ = response->error_message;
    }
    const Seconds wanted(response->retry_delay_s > 0 ? response->retry_delay_s : kPause.count());
    failing_ = !connection_.has_several_servers();
    changed_.notify_all();
    changed_.wait_for(lock, std::min(wanted, kMaxPause), [this] { return closed_; });
    failing_ = false;
    const bool stays = !domain::MayAnotherTake(response->error_code, response->error_message);
    return stays ? Next::kBatch : Next::kCall;
  }
  if (response->error_code == 0) {
    CountRefused(batch, *response);
  } else {
    // An import would be refused, too.
    Log("coxd refused a batch: " + response->error_message);
    dropped_count_ += batch.dropped_count + batch.timing_count();
  }
  RemoveFirst();
  return Next::kBatch;
}

void Sender::CountRefused(const Batch& batch, const Response& response) {
  if (response.refused_count <= 0) return;
  // On a full machine it is the same for batch after batch.
  if (refused_count_ == 0) Log("coxd refuses observations: " + response.refused_reason);
  refused_count_ +=
      std::min(response.refused_count, static_cast<int64_t>(batch.observations.size()));
}

void Sender::RemoveFirst() {
  queued_observations_ -= queue_.front()->observations.size();
  queue_.pop_front();
  in_doubt_ = false;
  changed_.notify_all();
}

void Sender::Log(const std::string& message) const {
  if (log_) Warn("%s", message.c_str());
}

}  // namespace cox::agent
