// Lets calls in until the daemon ends. Then doors refuse new calls, so that gRPC's own end meets
// none: gRPC 1.51 answers CANCELLED to a call that comes between its shutdown and the moment when
// the client hears of it. Any thread.
#ifndef COX_SERVICE_ENTRY_TURNSTILE_H_
#define COX_SERVICE_ENTRY_TURNSTILE_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cox::service {

class Turnstile {
 public:
  // Whether a call may begin; counts those that may not.
  bool Admit();
  // Refuses all calls from now on.
  void Close() { is_closed_ = true; }
  // After Close(): returns when no call has come for `quiet`, or soon after `deadline`.
  void AwaitQuiet(std::chrono::milliseconds quiet, std::chrono::steady_clock::time_point deadline);

 private:
  std::atomic<bool> is_closed_{false};
  std::atomic<int64_t> refused_count_{0};
};

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_TURNSTILE_H_
