// Calls of any method over a gRPC channel, with messages as bytes of protobuf.
#ifndef COX_GATEWAY_GRPC_CALL_H_
#define COX_GATEWAY_GRPC_CALL_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cox::gateway {

// The parts of an HTTP request that its gRPC call takes over.
struct CallOptions {
  std::optional<std::chrono::milliseconds> timeout;  // none: no deadline
  // Whether anybody waits for the response of a unary call; null: always.
  std::function<bool()> is_awaited;
  std::string ticket;  // of the caller (service/entry/known_callers.h); "": the method needs none
};

// Makes a call and waits for its response. Cancels it soon after nobody awaits the response.
grpc::Status CallUnary(grpc::GenericStub& stub, const std::string& path, const std::string& request,
                       const CallOptions& options, std::string* response);

// A call with one or more requests, all known at its begin, and a stream of responses. Its
// destructor cancels it.
class StreamCall : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamCall(grpc::GenericStub& stub, const std::string& path,
             const std::vector<std::string>& requests, const CallOptions& options);
  ~StreamCall() override;
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  enum class Outcome { kMessage, kNothingYet, kEnded };
  // Waits for the next message, at most `patience`. After kEnded, status() says how it ended.
  Outcome Next(std::chrono::milliseconds patience, std::string* message);
  const grpc::Status& status() const { return status_; }

 private:
  void OnWriteDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  // Sends the next request, if there is one.
  void Send();

  grpc::ClientContext context_;
  std::vector<grpc::ByteBuffer> requests_;
  size_t sent_ = 0;  // of the requests; one write at a time, so no lock
  grpc::ByteBuffer response_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool has_response_ = false;  // and no read is under way
  bool abandoned_ = false;
  bool done_ = false;
  grpc::Status status_;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_GRPC_CALL_H_
