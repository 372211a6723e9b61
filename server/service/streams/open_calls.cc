#include "service/streams/open_calls.h"

#include <grpc/grpc.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "domain/sharing/name_thread.h"
#include "service/status.h"

namespace cox::service {
namespace {

using grpc::experimental::InterceptionHookPoints;

// An answer as a message, and as the bytes that gRPC sends.
constexpr int64_t kCopiesOfAnswer = 2;
constexpr int64_t kMib = int64_t{1} << 20;
// A call may wait longer than its patience by a tenth of it.
constexpr int kLooksPerPatience = 10;

}  // namespace

class OpenCalls::Interceptor : public grpc::experimental::Interceptor {
 public:
  Interceptor(OpenCalls* calls, grpc::ServerContextBase* context)
      : calls_(calls), context_(context) {}
  ~Interceptor() override { calls_->Forget(context_); }

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    // The end of a call. A stream's messages come before it.
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      int64_t bytes = 0;
      if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_MESSAGE)) {
        grpc::ByteBuffer* const answer = methods->GetSerializedSendMessage();
        bytes = static_cast<int64_t>(answer->Length());
        if (absl::Status counted = calls_->CountAnswer(context_, bytes); !counted.ok()) {
          answer->Clear();  // gRPC sends no message then
          methods->ModifySendStatus(ToGrpc(counted));
        }
      }
      calls_->CancelAfter(context_, calls_->patience_ + kPerMib * (bytes / kMib));
    }
    methods->Proceed();
  }

 private:
  OpenCalls* const calls_;
  grpc::ServerContextBase* const context_;
};

class OpenCalls::InterceptorFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit InterceptorFactory(OpenCalls* calls) : calls_(calls) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    return new Interceptor(calls_, info->server_context());
  }

 private:
  OpenCalls* const calls_;
};

OpenCalls::OpenCalls(daemon::MemoryBudget* memory, std::chrono::milliseconds patience)
    : memory_(memory), patience_(patience), thread_([this] { Loop(); }) {}

OpenCalls::~OpenCalls() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>
OpenCalls::MakeInterceptor() {
  return std::make_unique<InterceptorFactory>(this);
}

absl::Status OpenCalls::Enter(const grpc::ServerContextBase* context, const std::string& caller,
                              int64_t bytes) {
  absl::StatusOr<daemon::MemoryBudget::Lease> lease = memory_->Take(caller, bytes);
  if (!lease.ok()) return lease.status();
  const std::lock_guard lock(mutex_);
  Call& call = calls_[context];
  call.caller = caller;
  call.request = *std::move(lease);
  return absl::OkStatus();
}

void OpenCalls::LeaveRequest(const grpc::ServerContextBase* context) {
  daemon::MemoryBudget::Lease freed;  // without the lock
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.find(context); found != calls_.end()) {
    freed = std::move(found->second.request);
  }
}

absl::Status OpenCalls::CountAnswer(const grpc::ServerContextBase* context, int64_t bytes) {
  std::string caller;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(context);
    // gRPC's own services have no door, and small answers.
    if (found == calls_.end() || found->second.caller.empty()) return absl::OkStatus();
    caller = found->second.caller;
  }
  absl::StatusOr<daemon::MemoryBudget::Lease> lease =
      memory_->Take(caller, kCopiesOfAnswer * bytes);
  if (!lease.ok()) return lease.status();
  const std::lock_guard lock(mutex_);
  calls_[context].answer = *std::move(lease);
  return absl::OkStatus();
}

OpenCalls::Call& OpenCalls::WithCore(grpc::ServerContextBase* context) {
  Call& call = calls_[context];
  if (call.core == nullptr) {
    grpc_call_ref(context->c_call());
    call.core = {context->c_call(), grpc_call_unref};
  }
  return call;
}

void OpenCalls::CancelAfter(grpc::ServerContextBase* context, std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  WithCore(context).deadline = Clock::now() + time;
}

void OpenCalls::CancelLater(grpc::ServerContextBase* context) {
  const std::lock_guard lock(mutex_);
  Call& call = WithCore(context);
  call.deadline = std::min(call.deadline, Clock::now() + patience_);
}

void OpenCalls::KeepOpen(const grpc::ServerContextBase* context) {
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.find(context); found != calls_.end()) {
    found->second.deadline = Clock::time_point::max();
  }
}

void OpenCalls::Forget(const grpc::ServerContextBase* context) {
  Call done;  // gives back its memory without the lock
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(context);
  if (found == calls_.end()) return;
  done = std::move(found->second);
  calls_.erase(found);
}

void OpenCalls::Loop() {
  domain::NameThisThread("open calls");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, patience_ / kLooksPerPatience, [this] { return ending_; })) {
    const Clock::time_point now = Clock::now();
    std::vector<std::shared_ptr<grpc_call>> late;
    for (auto& [context, call] : calls_) {
      if (call.deadline > now) continue;
      late.push_back(call.core);
      call.deadline = Clock::time_point::max();
    }
    // Without the lock: a call may be done at once, and is forgotten.
    lock.unlock();
    for (const std::shared_ptr<grpc_call>& call : late) {
      grpc_call_cancel_with_status(call.get(), GRPC_STATUS_CANCELLED, "the client took too long",
                                   nullptr);
    }
    late.clear();
    lock.lock();
  }
}

}  // namespace cox::service
