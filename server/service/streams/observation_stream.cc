#include "service/streams/observation_stream.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "domain/errors.h"
#include "service/limits.h"
#include "service/status.h"
#include "service/streams/stream_link.h"

namespace cox::service {
namespace {

class ObservationStream : public grpc::ServerBidiReactor<v1::StreamObservationsRequest,
                                                         v1::StreamObservationsResponse> {
 public:
  ObservationStream(StreamRegistry* streams, const access::Principal& principal, TakeBatch take)
      : streams_(streams),
        principal_(principal),
        take_(std::move(take)),
        link_(std::make_shared<StreamLink<ObservationStream>>(this)) {
    std::lock_guard lock(mutex_);
    end_ = streams_->Add(link_, principal_);
    if (!end_->ok()) {
      Proceed();
      return;
    }
    end_.reset();
    Proceed();
  }

  void OnReadDone(bool ok) override {
    std::unique_lock lock(mutex_);
    // Came while the stream ended: nobody would be told that it was taken.
    if (finished_) return;
    if (!ok) {
      // The client has sent everything; batches in progress are still answered.
      reading_ = false;
      if (!end_) end_ = absl::OkStatus();
      Proceed();
      return;
    }
    auto slot = std::make_shared<Slot>();
    slot->response.set_sequence(request_.batch().sequence());
    slots_.push_back(slot);
    lock.unlock();
    take_(principal_, request_.batch(),
          [slot, link = link_](absl::StatusOr<v1::ReportObservationsResponse> result) {
            link->With([&](ObservationStream& stream) { stream.Answer(slot, std::move(result)); });
          });
    // A cleared message would keep the memory of its rows as long as the stream lives.
    request_ = v1::StreamObservationsRequest();
    lock.lock();
    reading_ = false;  // not before: request_ was in use
    Proceed();
  }

  void OnWriteDone(bool ok) override {
    std::lock_guard lock(mutex_);
    writing_ = false;
    slots_.pop_front();
    if (!ok) broken_ = true;
    Proceed();
  }

  void OnCancel() override {
    std::lock_guard lock(mutex_);
    broken_ = true;
    Proceed();
  }

  void OnDone() override {
    streams_->Remove(link_);
    link_->Cut();
    delete this;
  }

 private:
  friend class StreamLink<ObservationStream>;

  struct Slot {
    bool ready = false;
    v1::StreamObservationsResponse response;
  };

  void Answer(const std::shared_ptr<Slot>& slot,
              absl::StatusOr<v1::ReportObservationsResponse> result) {
    std::lock_guard lock(mutex_);
    if (result.ok()) {
      *slot->response.mutable_result() = *std::move(result);
    } else {
      slot->response.set_error_code(static_cast<int>(result.status().code()));
      slot->response.set_error_message(std::string(result.status().message()));
      if (absl::IsResourceExhausted(result.status())) {
        slot->response.set_retry_delay_s(
            domain::RetryDelayOf(result.status()).value_or(kRetryDelaySeconds));
      }
    }
    slot->ready = true;
    Proceed();
  }

  void Close(const absl::Status& why) {
    std::lock_guard lock(mutex_);
    if (!end_) end_ = why;
    Proceed();
  }

  // Starts what can be started now. mutex_ is held.
  void Proceed() {
    if (finished_) return;
    if (!writing_ && !broken_ && !slots_.empty() && slots_.front()->ready) {
      writing_ = true;
      StartWrite(&slots_.front()->response);
    }
    if (!writing_ && (broken_ || (end_ && slots_.empty()))) {
      finished_ = true;
      Finish(ToGrpc(broken_ ? absl::CancelledError("the client went away") : *end_));
      return;
    }
    if (!end_ && !broken_ && !reading_ && slots_.size() < kMaxBatchesInFlightPerStream) {
      reading_ = true;
      StartRead(&request_);
    }
  }

  StreamRegistry* const streams_;
  const access::Principal principal_;
  const TakeBatch take_;
  const std::shared_ptr<StreamLink<ObservationStream>> link_;

  std::mutex mutex_;
  v1::StreamObservationsRequest request_;
  std::deque<std::shared_ptr<Slot>> slots_;  // in the order of the batches
  std::optional<absl::Status> end_;          // finish with it when every slot is answered
  bool reading_ = false;
  bool writing_ = false;
  bool broken_ = false;  // the client cannot be written to any more
  bool finished_ = false;
};

}  // namespace

grpc::ServerBidiReactor<v1::StreamObservationsRequest, v1::StreamObservationsResponse>*
StartObservationStream(StreamRegistry* streams, const access::Principal& principal,
                       TakeBatch take) {
  return new ObservationStream(streams, principal, std::move(take));
}

}  // namespace cox::service
