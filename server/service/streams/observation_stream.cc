#include "service/streams/observation_stream.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "domain/errors.h"
#include "service/entry/door.h"
#include "service/entry/parsed_size.h"
#include "service/limits.h"
#include "service/status.h"
#include "service/streams/batch_number.h"
#include "service/streams/checked_parse.h"
#include "service/streams/stream_link.h"

namespace cox::service {
namespace {

class ObservationStream : public ObservationReactor {
 public:
  ObservationStream(StreamRegistry* streams, OpenCalls* calls, grpc::CallbackServerContext* context,
                    daemon::BlockingPool* parsers, const access::Principal& principal,
                    TakeBatch take)
      : streams_(streams),
        calls_(calls),
        context_(context),
        parsers_(parsers),
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
    // The client has sent everything, or the stream is to end and takes nothing new. Batches in
    // progress are still answered.
    if (!ok || end_) {
      reading_ = false;
      if (!end_) end_ = absl::OkStatus();
      Proceed();
      return;
    }
    auto slot = std::make_shared<Slot>();
    slots_.push_back(slot);
    lock.unlock();
    if (bytes_.Length() <= kQuickBytes) {
      TakeMessage(link_, principal_, take_, slot, &bytes_);
      return;
    }
    auto bytes = std::make_shared<grpc::ByteBuffer>();
    bytes->Swap(&bytes_);
    const auto take = [link = link_, principal = principal_, take = take_, slot, bytes] {
      TakeMessage(link, principal, take, slot, bytes.get());
    };
    const absl::Status taken =
        parsers_->Run(principal_.name, take, static_cast<int64_t>(bytes->Length()));
    if (!taken.ok()) GiveUp(slot, taken);
  }

  void OnWriteDone(bool ok) override {
    std::lock_guard lock(mutex_);
    writing_ = false;
    slots_.pop_front();
    if (!ok) broken_ = true;
    // It was taken: how long coxd needs for the next one is not the client's doing.
    if (ok && end_ && end_->ok()) calls_->KeepOpen(context_);
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
  using Link = std::shared_ptr<StreamLink<ObservationStream>>;

  struct Slot {
    bool ready = false;
    v1::StreamObservationsResponse response;
  };

  // Parses a batch and takes it; then the stream, if it still lives, reads the next one.
  static void TakeMessage(const Link& link, const access::Principal& principal,
                          const TakeBatch& take, const std::shared_ptr<Slot>& slot,
                          grpc::ByteBuffer* bytes) {
    if (const absl::Status fits = CheckMessageSize<v1::StreamObservationsRequest>(*bytes);
        !fits.ok()) {
      const std::optional<int64_t> number = BatchNumberOf(ViewOf(WholeOf(*bytes)));
      link->With([&](ObservationStream& stream) {
        if (!number) {
          stream.GiveUp(slot, fits);
          return;
        }
        // A relay sends many reporters' batches: those behind this one must go on.
        slot->response.set_sequence(*number);
        stream.Answer(slot, fits);
        stream.EndRead();
      });
      return;
    }
    v1::StreamObservationsRequest request;
    if (absl::Status parsed = ParseMessage(bytes, &request); !parsed.ok()) {
      link->With([&](ObservationStream& stream) { stream.GiveUp(slot, parsed); });
      return;
    }
    slot->response.set_sequence(request.batch().sequence());
    take(principal, request.batch(),
         [slot, link](absl::StatusOr<v1::ReportObservationsResponse> result) {
           link->With([&](ObservationStream& stream) { stream.Answer(slot, std::move(result)); });
         });
    link->With([](ObservationStream& stream) { stream.EndRead(); });
  }

  void EndRead() {
    std::lock_guard lock(mutex_);
    reading_ = false;  // not before: bytes_ was in use
    Proceed();
  }

  // Nobody can be told which batch it was, so the stream ends when the earlier ones are answered.
  void GiveUp(const std::shared_ptr<Slot>& slot, const absl::Status& why) {
    std::lock_guard lock(mutex_);
    std::erase(slots_, slot);
    reading_ = false;
    if (!end_) end_ = why;
    Proceed();
  }

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
    if (writing_) calls_->CancelLater(context_);
    Proceed();
  }

  // Starts what can be started now. mutex_ is held.
  void Proceed() {
    if (finished_) return;
    if (!writing_ && !broken_ && !slots_.empty() && slots_.front()->ready) {
      writing_ = true;
      if (end_) calls_->CancelLater(context_);
      StartWrite(&slots_.front()->response);
    }
    if (!writing_ && (broken_ || (end_ && slots_.empty()))) {
      finished_ = true;
      Finish(ToGrpc(broken_ ? absl::CancelledError("the client went away") : *end_));
      return;
    }
    if (!end_ && !broken_ && !reading_ && slots_.size() < kMaxBatchesInFlightPerStream) {
      reading_ = true;
      StartRead(&bytes_);
    }
  }

  StreamRegistry* const streams_;
  OpenCalls* const calls_;
  grpc::CallbackServerContext* const context_;
  daemon::BlockingPool* const parsers_;
  const access::Principal principal_;
  const TakeBatch take_;
  const Link link_;

  std::mutex mutex_;
  grpc::ByteBuffer bytes_;
  std::deque<std::shared_ptr<Slot>> slots_;  // in the order of the batches
  std::optional<absl::Status> end_;          // finish with it when every slot is answered
  bool reading_ = false;
  bool writing_ = false;
  bool broken_ = false;  // the client cannot be written to any more
  bool finished_ = false;
};

}  // namespace

ObservationReactor* StartObservationStream(StreamRegistry* streams, OpenCalls* calls,
                                           grpc::CallbackServerContext* context,
                                           daemon::BlockingPool* parsers,
                                           const access::Principal& principal, TakeBatch take) {
  return new ObservationStream(streams, calls, context, parsers, principal, std::move(take));
}

}  // namespace cox::service
