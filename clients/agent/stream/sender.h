// Sends batches to coxd on its own thread and keeps each one until it is acknowledged. A batch that
// cannot be sent in time, or finds no room in the bounded queue, goes to the spool. Timings that
// the spool does not take are counted, and reported with the next batch.
//
// Call Push and Close from one thread. Neither waits for the network, except that Close waits for
// acknowledgements until its deadline. Never destroy a Sender: its thread may be inside gRPC when
// the process ends.
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
#include "agent/stream/wire/wire.h"

namespace cox::agent {

class Sender {
 public:
  using Clock = std::chrono::steady_clock;

  // `log`: write on stderr what happens. Sequence numbers count up from first_sequence.
  Sender(const std::string& server, std::string job, int64_t first_sequence, std::string spool,
         bool log);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Queues a batch: observations of one measurement, the timings dropped since the last batch, and
  // sketches.
  void Push(std::vector<Observation> observations, int64_t dropped_count,
            Measurement measurement = Measurement::kJob,
            std::vector<domain::PatternSketch> sketches = {});

  // Stops sending: spools the batches that are not acknowledged at `deadline`.
  void Close(Clock::time_point deadline);

 private:
  void Run();
  // What follows the answer to a batch.
  enum class Next {
    kBatch,   // the next one, or the same again
    kCall,    // a new call, perhaps to another daemon: this one takes no batch now
    kFailure  // the call broke, or sending has ended
  };
  // Sends batch after batch over one call.
  Next Converse();
  // Waits for a batch; false when sending has ended.
  bool WaitForBatch();
  std::shared_ptr<const Batch> TakeBatch();
  // Handles the answer to a batch; waits as long as coxd asks for.
  Next Settle(const Batch& batch, bool answered, const std::string& response_bytes);
  // All with mutex_ held. coxd counts refused observations as dropped itself.
  void CountRefused(const Batch& batch, const Response& response);
  // Whether the spool has kept timings of it.
  bool SpoolOldest();
  void RemoveFirst();
  void Log(const std::string& message) const;

  const std::string job_;
  const std::string source_;
  const bool log_;
  Connection connection_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const Batch>> queue_;  // guarded by mutex_, as all below
  bool sending_ = false;                            // the queue's first batch is being sent
  bool in_doubt_ = false;  // that batch was sent at least once: the daemon may have it
  Clock::time_point sending_since_;
  Spool spool_;
  int64_t next_sequence_;
  size_t queued_observations_ = 0;
  int64_t dropped_count_ = 0;  // reported with the next batch
  int64_t refused_count_ = 0;  // observations of stored batches that coxd refused
  bool closed_ = false;        // the thread must end
  int64_t sent_count_ = 0;     // answered batches; used by the thread only
  std::string told_problem_;   // why coxd could not take a batch; used by the thread only
  bool failing_ = false;       // the last attempt failed; the thread waits before the next
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_SENDER_H_
