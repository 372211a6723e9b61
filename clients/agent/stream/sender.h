// Sends batches to coxd on a thread of its own and holds each one until it is acknowledged. What
// cannot be sent in time, or finds no room in the bounded queue, goes to the spool; what the spool
// does not take is counted, and reported with the next batch.
//
// Push and Close from one thread; neither waits for the network, except that Close waits for
// acknowledgements until its deadline. A Sender is never destroyed: its thread may be inside gRPC
// when the process ends.
#ifndef COX_AGENT_STREAM_SENDER_H_
#define COX_AGENT_STREAM_SENDER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "agent/stream/connection.h"
#include "agent/stream/observation.h"
#include "agent/stream/spool.h"

namespace cox::agent {

class Sender {
 public:
  using Clock = std::chrono::steady_clock;

  // `log`: tell on stderr what happens. Sequence numbers count up from first_sequence.
  Sender(const std::string& server, std::string job, int64_t first_sequence, std::string spool,
         bool log);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Takes a batch's observations, all measured in one way, and what was dropped since the last one.
  void Push(std::vector<Observation> observations, int64_t dropped_count,
            Measurement measurement = Measurement::kJob);

  // Ends the sending: what is not acknowledged at `deadline` is spooled.
  void Close(Clock::time_point deadline);

 private:
  void Run();
  // Sends batch after batch until the call breaks or sending has ended.
  void Converse();
  // Waits for a batch; false when sending has ended.
  bool WaitForBatch();
  std::shared_ptr<const Batch> TakeBatch();
  // Does what the answer says; false when the call is of no use any more.
  bool Settle(const Batch& batch, bool answered, const std::string& response_bytes);
  // Both with mutex_ held.
  void SpoolOldest();
  void RemoveFirst();
  void Tell(const std::string& what) const;

  const std::string job_;
  const std::string source_;
  const bool log_;
  Connection connection_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const Batch>> queue_;  // guarded by mutex_, as all below
  bool under_way_ = false;                          // the first of the queue is being sent
  bool in_doubt_ = false;  // it was sent, perhaps more than once: the daemon may have it
  Clock::time_point under_way_since_;
  Spool spool_;
  int64_t next_sequence_;
  size_t queued_observations_ = 0;
  int64_t dropped_count_ = 0;  // to be reported with the next batch
  bool closed_ = false;        // the thread must end
  int64_t sent_count_ = 0;     // batches that were answered; only the thread
  bool failing_ = false;       // the last try to send failed; nothing is tried at the moment
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_SENDER_H_
