// The heart of a relay: puts batches on the disk, sends them on in order, and answers a client when
// coxd has answered.
//
// Two threads: one commits what arrives and removes what was answered, in groups; the other sends.
// A batch that is sent again, by a client or after a crash, keeps its job and number: coxd counts
// it once. No reporter can fill the spool alone, and one whose batches coxd takes later holds up
// no other. Any thread; `done` runs on one of the two threads or in Stop(), and must be quick.
#ifndef COX_RELAY_FORWARD_QUEUE_H_
#define COX_RELAY_FORWARD_QUEUE_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "cox/v1/observation.pb.h"
#include "daemon/host/log_limit.h"
#include "domain/sharing/shares.h"
#include "store/outbox.h"

namespace cox::relay {

struct QueueLimits {
  int64_t spool_bytes = 0;  // of batches that wait, of all reporters; more are refused
  // A client that waits longer is told to send again, so that it does not take the relay to hang.
  std::chrono::milliseconds patience{5'000};
};

class ForwardQueue {
 public:
  using Result = absl::StatusOr<v1::ReportObservationsResponse>;
  using Done = std::function<void(Result)>;
  // Sends batches, each a serialised StreamObservationsRequest, and waits for the responses, in
  // order. Fewer responses than batches: the connection broke.
  using Send = std::function<std::vector<v1::StreamObservationsResponse>(
      const std::vector<store::WaitingBatch>& batches)>;

  // Begins with what waits in `outbox` already. Fails as Outbox::ReadSize().
  static absl::StatusOr<std::unique_ptr<ForwardQueue>> Start(std::unique_ptr<store::Outbox> outbox,
                                                             const QueueLimits& limits, Send send);
  ~ForwardQueue();  // stops, if Stop() was not called
  ForwardQueue(const ForwardQueue&) = delete;
  ForwardQueue& operator=(const ForwardQueue&) = delete;

  // `done` runs once: with coxd's answer; with RESOURCE_EXHAUSTED and a retry delay if the spool,
  // the reporter's share of it or the disk is full; or with UNAVAILABLE if the batch is in the
  // spool and coxd has not answered in time. Only an OK result means that coxd has it.
  void Add(store::OutboxBatch batch, Done done);

  // Whether a batch of the reporter could be kept: RESOURCE_EXHAUSTED as Add(), or why the spool
  // cannot be read.
  absl::Status Check(const std::string& reporter);

  // What waits for coxd.
  int64_t waiting_bytes() const;

  // Ends both threads; first make Send return soon. Answers all clients with UNAVAILABLE.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Arrival {
    store::OutboxBatch batch;
    Done done;
  };
  struct Waiter {
    Done done;
    Clock::time_point until;
  };
  using Calls = std::vector<std::pair<Done, Result>>;
  using Lock = std::unique_lock<std::mutex>;

  ForwardQueue(std::unique_ptr<store::Outbox> outbox, const QueueLimits& limits, Send send,
               const store::OutboxSize& size);

  absl::Status Full() const;

  void SpoolLoop();
  // One group, with the lock held except during the commit.
  void CommitGroup(Lock& lock);
  void Register(std::vector<Arrival> arrivals, const std::vector<int64_t>& ids, Calls* calls);
  void Refuse(std::vector<Arrival> arrivals, const absl::Status& why, Calls* calls);
  void ReleaseLate(Calls* calls);

  // Until the next attempt.
  struct Rest {
    double seconds;
    bool ends_with_news;  // a batch that comes meanwhile need not wait
  };
  static constexpr Rest kNone = {0, false};
  static constexpr Rest kUntilNews = {std::numeric_limits<double>::infinity(), true};

  void ForwardLoop();
  // Sends the next batches.
  Rest ForwardSome(Lock& lock);
  // After the last batch of the disk.
  Rest EndRound();
  // coxd takes the reporter's batches later.
  void HoldBack(const std::string& job, double wanted_s);
  bool IsHeldBack(const std::string& job) const;
  // The client that would have to hear of it is gone.
  void TellRefused(const v1::StreamObservationsResponse& response);
  // Seconds, growing and random.
  double NextPause();
  // Between a half of it and all.
  double Randomly(double seconds);

  const std::unique_ptr<store::Outbox> outbox_;
  const QueueLimits limits_;
  const Send send_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable spool_wake_;
  std::condition_variable forward_wake_;
  std::vector<Arrival> arrivals_;
  std::map<int64_t, std::vector<Waiter>> waiters_;  // by id
  // By id: answered by coxd, and still on the disk.
  std::map<int64_t, v1::StreamObservationsResponse> settled_;
  Clock::time_point next_release_;
  bool has_newly_settled_ = false;
  domain::Shares waiting_;    // bytes on the disk or about to be, without what is settled
  int64_t last_id_;           // the greatest on the disk so far
  int64_t cursor_ = 0;        // all up to this id were read in this round
  int64_t round_end_id_ = 0;  // the greatest on the disk when this round began
  bool has_more_ = true;      // the disk may have batches after the cursor
  bool is_away_ = false;      // coxd did not answer last, so batches go one at a time
  bool has_skipped_ = false;  // the cursor has passed batches that wait for the next round
  // By principal: before this its batches are not sent.
  absl::flat_hash_map<std::string, Clock::time_point> held_back_;
  bool has_broken_ = false;  // some of them because they broke the connection
  double pause_s_ = 0;
  double hold_s_ = 0;  // for a refusal without a delay; grows with each round that has refusals
  std::minstd_rand random_;
  daemon::LogLimit refusals_{10, 10'000'000};
  absl::Status last_read_;  // of the disk
  bool ending_ = false;
  bool forwarder_ended_ = false;

  std::thread spooler_;
  std::thread forwarder_;
};

}  // namespace cox::relay

#endif  // COX_RELAY_FORWARD_QUEUE_H_
