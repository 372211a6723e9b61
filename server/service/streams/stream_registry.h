// The open streams: bounds their number and drains them when the daemon ends.
//
// Any thread.
#ifndef COX_SERVICE_STREAMS_STREAM_REGISTRY_H_
#define COX_SERVICE_STREAMS_STREAM_REGISTRY_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>

#include "absl/status/status.h"

namespace cox::service {

// What a stream does when the daemon ends.
class Drainable {
 public:
  virtual ~Drainable() = default;
  // Accepts nothing new, answers accepted requests, and finishes. Called at most once, from any
  // thread.
  virtual void Drain() = 0;
};

class StreamRegistry {
 public:
  explicit StreamRegistry(size_t stream_limit) : stream_limit_(stream_limit) {}

  // RESOURCE_EXHAUSTED over the limit, UNAVAILABLE when draining; then the stream must finish with
  // it.
  absl::Status Add(const std::shared_ptr<Drainable>& stream);
  void Remove(const std::shared_ptr<Drainable>& stream);

  // Drains all, and refuses new ones from now on.
  void DrainAll();

  // Waits until every stream is removed, or until `deadline`. After DrainAll().
  void AwaitEmpty(std::chrono::steady_clock::time_point deadline);

 private:
  const size_t stream_limit_;
  std::mutex mutex_;
  std::condition_variable removed_;
  std::set<std::shared_ptr<Drainable>> streams_;
  bool draining_ = false;
};

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_STREAM_REGISTRY_H_
