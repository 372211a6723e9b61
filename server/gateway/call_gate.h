// Counts running calls, and refuses new ones once it is closed.
//
// gRPC 1.51 ends the program when a call is begun on an in-process channel whose server was shut
// down: the gate must be closed before. Any thread.
#ifndef COX_GATEWAY_CALL_GATE_H_
#define COX_GATEWAY_CALL_GATE_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace cox::gateway {

class CallGate {
 public:
  // True if a call may begin; Leave() must follow when it has ended.
  bool Enter() {
    std::lock_guard lock(mutex_);
    if (!closed_) ++inside_;
    return !closed_;
  }
  void Leave() {
    std::lock_guard lock(mutex_);
    if (--inside_ == 0) left_.notify_all();
  }

  // Lets no more calls begin, and waits for those that have begun, at most `patience`.
  void Close(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    left_.wait_for(lock, patience, [this] { return inside_ == 0; });
  }
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable left_;
  bool closed_ = false;
  int inside_ = 0;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CALL_GATE_H_
