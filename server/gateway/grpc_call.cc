#include "gateway/grpc_call.h"

#include <vector>

#include "service/entry/known_callers.h"

namespace cox::gateway {
namespace {

// How often a unary call looks whether its client is still there.
constexpr std::chrono::milliseconds kPatience{250};

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::string bytes;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

void Apply(const CallOptions& options, grpc::ClientContext* context) {
  if (options.timeout) {
    context->set_deadline(std::chrono::system_clock::now() + *options.timeout);
  }
  if (!options.ticket.empty()) context->AddMetadata(service::kTicketHeader, options.ticket);
}

}  // namespace

grpc::Status CallUnary(grpc::GenericStub& stub, const std::string& path, const std::string& request,
                       const CallOptions& options, std::string* response) {
  grpc::ClientContext context;
  Apply(options, &context);
  const grpc::ByteBuffer sent = ToBuffer(request);
  grpc::ByteBuffer received;
  // A queue of the thread's own: much of the call is then done on this thread, without waiting for
  // others to wake up.
  thread_local grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(&context, path, sent, &queue);
  call->StartCall();
  grpc::Status status;
  call->Finish(&received, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  while (queue.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kPatience) ==
         grpc::CompletionQueue::TIMEOUT) {
    if (options.is_awaited && !options.is_awaited()) context.TryCancel();
  }
  if (status.ok()) *response = ToString(received);
  return status;
}

StreamCall::StreamCall(grpc::GenericStub& stub, const std::string& path,
                       const std::vector<std::string>& requests, const CallOptions& options) {
  requests_.reserve(requests.size());
  for (const std::string& request : requests) requests_.push_back(ToBuffer(request));
  Apply(options, &context_);
  stub.PrepareBidiStreamingCall(&context_, path, grpc::StubOptions(), this);
  // Without a hold the call could be done, and no read allowed, while a message waits for Next().
  AddHold();
  Send();
  StartRead(&response_);
  StartCall();
}

StreamCall::~StreamCall() {
  context_.TryCancel();
  std::unique_lock lock(mutex_);
  abandoned_ = true;
  if (has_response_) {
    lock.unlock();
    RemoveHold();
    lock.lock();
  }
  changed_.wait(lock, [this] { return done_; });
}

StreamCall::Outcome StreamCall::Next(std::chrono::milliseconds patience, std::string* message) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return has_response_ || done_; });
  if (!has_response_) return done_ ? Outcome::kEnded : Outcome::kNothingYet;
  *message = ToString(response_);
  has_response_ = false;
  lock.unlock();  // OnReadDone may run at once, on this thread
  StartRead(&response_);
  return Outcome::kMessage;
}

void StreamCall::Send() {
  if (sent_ == requests_.size()) return;
  const bool is_last = sent_ + 1 == requests_.size();
  const grpc::ByteBuffer* request = &requests_[sent_++];
  if (is_last) {
    StartWriteLast(request, grpc::WriteOptions());
  } else {
    StartWrite(request);
  }
}

// After a failed write the call is over, and OnDone says how it ended.
void StreamCall::OnWriteDone(bool ok) {
  if (ok) Send();
}

void StreamCall::OnReadDone(bool ok) {
  {
    std::lock_guard lock(mutex_);
    if (ok && !abandoned_) {
      has_response_ = true;
      changed_.notify_one();
      return;
    }
  }
  RemoveHold();
}

void StreamCall::OnDone(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  status_ = status;
  done_ = true;
  changed_.notify_one();
}

}  // namespace cox::gateway
