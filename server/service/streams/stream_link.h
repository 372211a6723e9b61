// A pointer to a streaming reactor that outlives it and is cleared when it ends.
#ifndef COX_SERVICE_STREAMS_STREAM_LINK_H_
#define COX_SERVICE_STREAMS_STREAM_LINK_H_

#include <mutex>
#include <utility>

#include "service/streams/stream_registry.h"

namespace cox::service {

// For callers that may reach `Stream` after gRPC has finished it: the registry, the pool, the
// store's callbacks, the feed. `Stream` has a Close() of its own. Any thread.
template <class Stream>
class StreamLink : public Closable {
 public:
  explicit StreamLink(Stream* stream) : stream_(stream) {}

  // Calls what(*stream) unless the stream is gone; it stays alive during the call.
  template <class What>
  void With(What&& what) {
    std::lock_guard lock(mutex_);
    if (stream_ != nullptr) std::forward<What>(what)(*stream_);
  }
  void Close(const absl::Status& why) override {
    With([&](Stream& stream) { stream.Close(why); });
  }
  // Nothing reaches the stream after this call. Waits for a running With().
  void Cut() {
    std::lock_guard lock(mutex_);
    stream_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Stream* stream_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_STREAM_LINK_H_
