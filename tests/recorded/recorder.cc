#include "recorder.h"

#include <grpcpp/grpcpp.h>

#include "bytes.h"

namespace cox::recorded {

// A call on its way: what the client sends goes to the coxd, and back. It goes when both have
// ended.
class Recorder::Passage : public grpc::ServerGenericBidiReactor {
 public:
  Passage(Recorder* recorder, Kept* kept) : recorder_(recorder), kept_(kept), behind_(this) {
    recorder_->stub_.PrepareBidiStreamingCall(&context_, kept_->call.method, {}, &behind_);
    behind_.Begin();
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      behind_.EndWrites();
      return;
    }
    {
      const std::lock_guard lock(recorder_->mutex_);
      kept_->call.requests.push_back(TextOf(request_));
    }
    behind_.StartWrite(&request_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) context_.TryCancel();
    behind_.ReadNext();
  }
  void OnCancel() override { context_.TryCancel(); }
  void OnDone() override { End(); }

 private:
  // The call of the coxd behind.
  class Behind : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    explicit Behind(Passage* passage) : passage_(passage) {}
    void Begin() {
      AddHold();  // until the last answer, which is passed on before the status
      StartRead(&response_);
      StartCall();
    }
    void ReadNext() { StartRead(&response_); }
    void EndWrites() {
      const std::lock_guard lock(mutex_);
      if (!has_ended_) StartWritesDone();
    }
    void OnReadDone(bool ok) override {
      if (!ok) {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
        RemoveHold();
        return;
      }
      passage_->Answer(&response_);
    }
    void OnWriteDone(bool ok) override {
      if (ok) passage_->StartRead(&passage_->request_);
    }
    void OnDone(const grpc::Status& status) override { passage_->Finished(status); }

   private:
    Passage* const passage_;
    grpc::ByteBuffer response_;
    std::mutex mutex_;
    bool has_ended_ = false;
  };

  void Answer(const grpc::ByteBuffer* response) {
    {
      const std::lock_guard lock(recorder_->mutex_);
      kept_->call.responses.push_back(TextOf(*response));
    }
    StartWrite(response);
  }
  void Finished(const grpc::Status& status) {
    {
      const std::lock_guard lock(recorder_->mutex_);
      kept_->call.code = status.error_code();
      kept_->call.error_message = status.error_message();
      kept_->call.error_details = status.error_details();
      kept_->has_ended = true;
    }
    Finish(status);
    End();
  }
  // Each of the two sides says it once.
  void End() {
    bool is_last = false;
    {
      const std::lock_guard lock(recorder_->mutex_);
      is_last = ++ended_sides_ == 2;
    }
    if (is_last) delete this;
  }

  Recorder* const recorder_;
  Kept* const kept_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  int ended_sides_ = 0;
  Behind behind_;
};

Recorder::Recorder(const std::string& server)
    : stub_(grpc::CreateChannel(server, grpc::InsecureChannelCredentials())) {}

Tape Recorder::Recorded() const {
  Tape tape;
  const std::lock_guard lock(mutex_);
  for (const Kept& kept : kept_) {
    if (kept.has_ended) tape.push_back(kept.call);
  }
  return tape;
}

grpc::ServerGenericBidiReactor* Recorder::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  Kept* kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    kept = &kept_.emplace_back();
    kept->call.method = context->method();
  }
  return new Passage(this, kept);
}

}  // namespace cox::recorded
