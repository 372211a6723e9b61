// Passes every call on to a coxd, whatever its method is, and keeps the bytes of both sides.
#ifndef COX_TESTS_RECORDED_RECORDER_H_
#define COX_TESTS_RECORDED_RECORDER_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "tape.h"

namespace cox::recorded {

class Recorder : public grpc::CallbackGenericService {
 public:
  // `server`: gRPC's address of the coxd.
  explicit Recorder(const std::string& server);

  // What has ended so far. Any thread.
  Tape Recorded() const;

 private:
  class Passage;
  struct Kept {
    RecordedCall call;
    bool has_ended = false;
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  grpc::GenericStub stub_;
  mutable std::mutex mutex_;
  std::deque<Kept> kept_;  // its elements stay where they are
};

}  // namespace cox::recorded

#endif  // COX_TESTS_RECORDED_RECORDER_H_
