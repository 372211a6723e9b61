// Calls of any method over a gRPC channel, with messages as bytes of protobuf.
#ifndef COX_GATEWAY_CALL_H_
#define COX_GATEWAY_CALL_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace cox::gateway {

// What a call takes over from the request that it is made for.
struct CallOptions {
  std::optional<std::chrono::milliseconds> timeout;  // none: no deadline
  std::string authorization;                         // printable ASCII; "": none
};

// Waits for the answer.
grpc::Status CallUnary(grpc::GenericStub& stub, const std::string& path, const std::string& request,
                       const CallOptions& options, std::string* response);

// A call with one request and a stream of responses. Its destructor cancels it.
class ServerStream : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ServerStream(grpc::GenericStub& stub, const std::string& path, const std::string& request,
               const CallOptions& options);
  ~ServerStream() override;
  ServerStream(const ServerStream&) = delete;
  ServerStream& operator=(const ServerStream&) = delete;

  enum class Outcome { kMessage, kNothingYet, kEnded };
  // Waits for the next message, at most `patience`. After kEnded, status() says how it ended.
  Outcome Next(std::chrono::milliseconds patience, std::string* message);
  const grpc::Status& status() const { return status_; }

 private:
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool has_response_ = false;  // and no read is under way
  bool abandoned_ = false;
  bool done_ = false;
  grpc::Status status_;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CALL_H_
