#include "collectives/protocols/broadcast.h"

#include <utility>
#include <vector>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

class Broadcast final : public Protocol {
 public:
  Broadcast(BroadcastPeers peers, void* buffer, int64_t count, const Datatype& datatype)
      : peers_(std::move(peers)), buffer_(buffer), count_(count), datatype_(datatype) {}

  int Start(Operation* operation) override {
    const int64_t bytes = datatype_.BytesOf(count_);
    if (bytes == 0) return MPI_SUCCESS;
    if (!datatype_.is_dense) message_.resize(static_cast<size_t>(bytes));
    if (peers_.parent >= 0) return operation->Receive(Message(), bytes, peers_.parent, kReceived);
    if (!message_.empty()) {
      COX_TRY(Pack(datatype_, buffer_, count_, operation->channel().comm(), message_.data()));
    }
    return HandOn(operation);
  }

  int Done(Operation* operation, int token) override {
    return token == kReceived ? HandOn(operation) : MPI_SUCCESS;
  }

  int Finish(Operation* operation) override {
    if (message_.empty() || peers_.parent < 0) return MPI_SUCCESS;
    return Unpack(datatype_, message_.data(), count_, operation->channel().comm(), buffer_);
  }

 private:
  enum Token : int { kSent, kReceived };

  void* Message() { return message_.empty() ? buffer_ : message_.data(); }

  int HandOn(Operation* operation) {
    for (const int child : peers_.children) {
      COX_TRY(operation->Send(Message(), datatype_.BytesOf(count_), child, kSent));
    }
    return MPI_SUCCESS;
  }

  BroadcastPeers peers_;
  void* buffer_;
  int64_t count_;
  Datatype datatype_;
  std::vector<char> message_;
};

}  // namespace

std::unique_ptr<Protocol> MakeBroadcast(BroadcastPeers peers, void* buffer, int64_t count,
                                        const Datatype& datatype) {
  return std::make_unique<Broadcast>(std::move(peers), buffer, count, datatype);
}

}  // namespace cox::collectives
