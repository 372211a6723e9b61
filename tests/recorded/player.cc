#include "player.h"

#include <grpcpp/grpcpp.h>

#include <optional>

#include "bytes.h"

namespace cox::recorded {

// Takes all messages of the client, then answers.
class Player::Performance : public grpc::ServerGenericBidiReactor {
 public:
  Performance(Player* player, std::string method) : player_(player), method_(std::move(method)) {
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (ok) {
      requests_.push_back(TextOf(request_));
      StartRead(&request_);
      return;
    }
    call_ = player_->Find(method_, requests_);
    if (call_ == nullptr) {
      Finish({grpc::StatusCode::UNIMPLEMENTED, "the tape has no such call: " + method_});
      return;
    }
    Next();
  }
  void OnWriteDone(bool ok) override {
    if (ok)
      Next();
    else
      Finish({grpc::StatusCode::CANCELLED, "the client has gone"});
  }
  void OnDone() override { delete this; }

 private:
  void Next() {
    if (answered_ == call_->responses.size()) {
      Finish(
          {static_cast<grpc::StatusCode>(call_->code), call_->error_message, call_->error_details});
      return;
    }
    response_ = BufferOf(call_->responses[answered_++]);
    StartWrite(&response_);
  }

  Player* const player_;
  const std::string method_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::vector<std::string> requests_;
  const RecordedCall* call_ = nullptr;
  size_t answered_ = 0;
};

const RecordedCall* Player::Find(const std::string& method,
                                 const std::vector<std::string>& requests) {
  const std::lock_guard lock(mutex_);
  std::optional<size_t> found;
  for (size_t i = 0; i < tape_.size(); ++i) {
    if (is_played_[i] || tape_[i].method != method) continue;
    const bool is_same = tape_[i].requests == requests;
    if (is_same || !found) found = i;
    if (is_same) break;
  }
  if (!found) return nullptr;
  is_played_[*found] = true;
  return &tape_[*found];
}

grpc::ServerGenericBidiReactor* Player::CreateReactor(grpc::GenericCallbackServerContext* context) {
  return new Performance(this, context->method());
}

}  // namespace cox::recorded
