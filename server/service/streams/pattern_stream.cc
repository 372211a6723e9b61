#include "service/streams/pattern_stream.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "service/entry/door.h"
#include "service/entry/machines_named.h"
#include "service/status.h"
#include "service/streams/checked_parse.h"
#include "service/streams/stream_link.h"

namespace cox::service {
namespace {

class PatternStream : public PatternReactor {
 public:
  PatternStream(const Core& core, grpc::CallbackServerContext* context,
                const access::Principal& principal, PatternMessages* all,
                v1::EvaluatePatternResponse* response)
      : core_(core),
        context_(context),
        caller_(principal),
        link_(std::make_shared<StreamLink<PatternStream>>(this)),
        pattern_(std::make_shared<StreamedPattern>(all, principal.name)),
        response_(response) {
    if (const absl::Status added = core_.streams->Add(link_, principal); !added.ok()) {
      End(added);
      return;
    }
    core_.calls->CancelAfter(context_, kPatternTime);
    // Tells the client that the stream is open: from now on it ends with a reason.
    StartSendInitialMetadata();
    StartRead(&bytes_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Price();
      return;
    }
    if (bytes_.Length() <= kQuickBytes) {
      ReadOn(Take(*core_.access, caller_, pattern_.get(), &bytes_));
      return;
    }
    auto bytes = std::make_shared<grpc::ByteBuffer>();
    bytes->Swap(&bytes_);
    const auto take = [access = core_.access, caller = caller_, link = link_, pattern = pattern_,
                       bytes] {
      const absl::Status added = Take(*access, caller, pattern.get(), bytes.get());
      link->With([&](PatternStream& stream) { stream.ReadOn(added); });
    };
    const absl::Status taken =
        core_.parsers->Run(caller_.name, take, static_cast<int64_t>(bytes->Length()));
    if (!taken.ok()) End(taken);
  }
  void OnCancel() override { End(absl::CancelledError("the client cancelled")); }
  void OnDone() override {
    core_.streams->Remove(link_);
    link_->Cut();
    delete this;
  }

 private:
  friend class StreamLink<PatternStream>;

  // Nothing else touches the pattern until the next message is read. The parsed message is freed
  // here: its unknown fields would stay in memory for as long as the client keeps the stream.
  static absl::Status Take(const access::Access& access, const access::Principal& caller,
                           StreamedPattern* pattern, grpc::ByteBuffer* bytes) {
    v1::EvaluatePatternRequest request;
    absl::Status status = CheckMessageSize<v1::EvaluatePatternRequest>(*bytes);
    if (status.ok()) status = ParseMessage(bytes, &request);
    if (status.ok()) status = CheckMachinesNamed(access, caller, request);
    if (status.ok()) status = pattern->Add(request);
    return status;
  }

  void ReadOn(const absl::Status& added) {
    if (!added.ok()) {
      End(added);
      return;
    }
    std::lock_guard lock(mutex_);
    if (!finished_) StartRead(&bytes_);
  }

  // The client has sent everything, or it is gone and OnCancel() ends the stream.
  void Price() {
    {
      std::lock_guard lock(mutex_);
      pricing_ = true;
      if (finished_) return;
      core_.calls->KeepOpen(context_);
    }
    const absl::Status taken = core_.heavy_pool->Run(
        caller_.name,
        [link = link_, pattern = pattern_, snapshots = core_.snapshots, store = core_.store] {
          v1::EvaluatePatternResponse response;
          // A stream that was cancelled may be gone by now.
          const auto is_cancelled = [&link] {
            bool waits = false;
            link->With([&waits](PatternStream& stream) { waits = stream.Waits(); });
            return !waits;
          };
          const absl::Status status =
              pattern->Answer(snapshots->Load(), NodeFinder(store), is_cancelled, &response);
          link->With([&](PatternStream& stream) { stream.Answer(status, &response); });
        });
    if (!taken.ok()) End(taken);
  }

  bool Waits() {
    std::lock_guard lock(mutex_);
    return !finished_;
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
  grpc::CallbackServerContext* const context_;
  const access::Principal caller_;
  const std::shared_ptr<StreamLink<PatternStream>> link_;
  const std::shared_ptr<StreamedPattern> pattern_;
  v1::EvaluatePatternResponse* const response_;
  grpc::ByteBuffer bytes_;

  std::mutex mutex_;
  bool pricing_ = false;
  bool finished_ = false;
};

}  // namespace

PatternReactor* StartPatternStream(const Core& core, grpc::CallbackServerContext* context,
                                   const access::Principal& principal, PatternMessages* all,
                                   v1::EvaluatePatternResponse* response) {
  return new PatternStream(core, context, principal, all, response);
}

}  // namespace cox::service
