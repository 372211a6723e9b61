#include "service/streams/pattern_stream.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "service/answers/pattern_answer.h"
#include "service/status.h"
#include "service/streams/stream_link.h"

namespace cox::service {
namespace {

class PatternStream : public grpc::ServerReadReactor<v1::EvaluatePatternRequest> {
 public:
  PatternStream(const Core& core, const access::Principal& principal, std::atomic<int64_t>* held,
                v1::EvaluatePatternResponse* response)
      : core_(core),
        caller_(principal.name),
        link_(std::make_shared<StreamLink<PatternStream>>(this)),
        pattern_(std::make_shared<StreamedPattern>(held)),
        response_(response) {
    if (const absl::Status added = core_.streams->Add(link_, principal); !added.ok()) {
      End(added);
      return;
    }
    // Tells the client that the stream is open: from now on it ends with a reason.
    StartSendInitialMetadata();
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Price();
      return;
    }
    // Only this reaction touches the pattern until it is priced.
    if (const absl::Status added = pattern_->Add(request_); !added.ok()) {
      End(added);
      return;
    }
    std::lock_guard lock(mutex_);
    if (!finished_) StartRead(&request_);
  }
  void OnCancel() override { End(absl::CancelledError("the client cancelled")); }
  void OnDone() override {
    core_.streams->Remove(link_);
    link_->Cut();
    delete this;
  }

 private:
  friend class StreamLink<PatternStream>;

  // The client has sent everything, or it is gone and OnCancel() ends the stream.
  void Price() {
    {
      std::lock_guard lock(mutex_);
      pricing_ = true;
      if (finished_) return;
    }
    const absl::Status taken = core_.heavy_pool->Run(
        caller_, [link = link_, pattern = pattern_, snapshots = core_.snapshots] {
          v1::EvaluatePatternResponse response;
          const absl::Status status = pattern->Answer(snapshots->Load(), &response);
          link->With([&](PatternStream& stream) { stream.Answer(status, &response); });
        });
    if (!taken.ok()) End(taken);
  }

  void Answer(const absl::Status& status, v1::EvaluatePatternResponse* response) {
    {
      std::lock_guard lock(mutex_);
      if (!finished_ && status.ok()) response_->Swap(response);
    }
    End(status);
  }

  // Pricing in progress is still answered.
  void Close(const absl::Status& why) {
    {
      std::lock_guard lock(mutex_);
      if (pricing_) return;
    }
    End(why);
  }

  void End(const absl::Status& status) {
    std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    Finish(ToGrpc(status));
  }

  const Core core_;
  const std::string caller_;
  const std::shared_ptr<StreamLink<PatternStream>> link_;
  const std::shared_ptr<StreamedPattern> pattern_;
  v1::EvaluatePatternResponse* const response_;
  v1::EvaluatePatternRequest request_;

  std::mutex mutex_;
  bool pricing_ = false;
  bool finished_ = false;
};

}  // namespace

grpc::ServerReadReactor<v1::EvaluatePatternRequest>* StartPatternStream(
    const Core& core, const access::Principal& principal, std::atomic<int64_t>* held,
    v1::EvaluatePatternResponse* response) {
  return new PatternStream(core, principal, held, response);
}

}  // namespace cox::service
