// The open calls: what their messages hold in memory, and how long an answer may wait for its
// client.
//
// A client that opens no window for its answer would otherwise hold request and answer as long as
// it likes. The door enters each call, an interceptor sees its answer, and a thread of its own
// cancels the calls whose answers nobody takes. Any thread.
#ifndef COX_SERVICE_STREAMS_OPEN_CALLS_H_
#define COX_SERVICE_STREAMS_OPEN_CALLS_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_interceptor.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "daemon/host/memory_budget.h"

namespace cox::service {

class OpenCalls {
 public:
  using Clock = std::chrono::steady_clock;
  // A client has this time to take an answer, and kPerMib more for each MiB of it: as over HTTP.
  static constexpr std::chrono::milliseconds kPatience{10'000};
  static constexpr std::chrono::milliseconds kPerMib{1'000};

  // `memory` outlives it.
  explicit OpenCalls(daemon::MemoryBudget* memory, std::chrono::milliseconds patience = kPatience);
  // After the last call.
  ~OpenCalls();
  OpenCalls(const OpenCalls&) = delete;
  OpenCalls& operator=(const OpenCalls&) = delete;

  // Of a server whose calls these are. The interceptors count each answer, refuse one for which
  // there is no memory with RESOURCE_EXHAUSTED, and forget the call when it is done.
  std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeInterceptor();

  // Counts `bytes` of the request of `caller` (a principal's name) until the call is done.
  // RESOURCE_EXHAUSTED as of MemoryBudget::Take(): then the call must finish with it.
  absl::Status Enter(const grpc::ServerContextBase* context, const std::string& caller,
                     int64_t bytes);

  // The handler has freed the request.
  void LeaveRequest(const grpc::ServerContextBase* context);

  // Cancels the call if it is not done in `time` from now on. The last word counts.
  void CancelAfter(grpc::ServerContextBase* context, std::chrono::milliseconds time);
  // Cancels the call if it is not done in kPatience from the first word on: who says it again
  // postpones nothing.
  void CancelLater(grpc::ServerContextBase* context);
  void KeepOpen(const grpc::ServerContextBase* context);

 private:
  class Interceptor;
  class InterceptorFactory;
  struct Call {
    std::string caller;  // "": has passed no door
    daemon::MemoryBudget::Lease request;
    daemon::MemoryBudget::Lease answer;
    Clock::time_point deadline = Clock::time_point::max();
    std::shared_ptr<grpc_call> core;  // null: no deadline
  };

  // Of a call that may be cancelled. mutex_ is held.
  Call& WithCore(grpc::ServerContextBase* context);
  absl::Status CountAnswer(const grpc::ServerContextBase* context, int64_t bytes);
  void Forget(const grpc::ServerContextBase* context);
  void Loop();

  daemon::MemoryBudget* const memory_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  absl::flat_hash_map<const grpc::ServerContextBase*, Call> calls_;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_OPEN_CALLS_H_
