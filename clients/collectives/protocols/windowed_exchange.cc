#include "collectives/protocols/windowed_exchange.h"

#include <utility>

#include "collectives/engine/error.h"
#include "collectives/engine/window.h"

namespace cox::collectives {
namespace {

class WindowedExchange final : public Protocol {
 public:
  WindowedExchange(ExchangeBlocks blocks, int64_t window, bool in_lockstep)
      : blocks_(std::move(blocks)),
        sends_(blocks_.send.ranks() - 1, window),
        receives_(blocks_.send.ranks() - 1, window),
        in_lockstep_(in_lockstep) {}

  int Start(Operation* operation) override {
    COX_TRY(blocks_.Begin(operation->channel().comm(), operation->rank()));
    return Post(operation);
  }

  int Done(Operation* operation, int token) override {
    (token == kSend ? sends_ : receives_).End();
    return Post(operation);
  }

  bool WaitsForAll() const override {
    return in_lockstep_ || (sends_.all_begun() && receives_.all_begun());
  }

  int Finish(Operation* operation) override {
    return blocks_.receive.Unpack(operation->channel().comm());
  }

 private:
  enum { kSend, kReceive };

  bool MayBegin(const Window& window) const {
    if (in_lockstep_ && sends_.under_way() + receives_.under_way() > 0) return false;
    return window.CanBegin();
  }

  // Begins the steps that may begin: receives first, so that arriving messages find their buffer.
  // In lockstep, a step's send goes with its receive.
  int Post(Operation* operation) {
    while (MayBegin(receives_) || MayBegin(sends_)) {
      if (in_lockstep_) {
        COX_TRY(BeginReceive(operation));
        COX_TRY(BeginSend(operation));
        continue;
      }
      while (receives_.CanBegin()) COX_TRY(BeginReceive(operation));
      while (sends_.CanBegin()) COX_TRY(BeginSend(operation));
    }
    return MPI_SUCCESS;
  }

  int BeginReceive(Operation* operation) {
    const int ranks = operation->ranks();
    const int peer = (operation->rank() + ranks - receives_.Begin()) % ranks;
    if (blocks_.receive.BytesOf(peer) == 0) {
      receives_.End();
      return MPI_SUCCESS;
    }
    return operation->Receive(blocks_.receive.At(peer), blocks_.receive.BytesOf(peer), peer,
                              kReceive);
  }

  int BeginSend(Operation* operation) {
    const int peer = (operation->rank() + sends_.Begin()) % operation->ranks();
    if (blocks_.send.BytesOf(peer) == 0) {
      sends_.End();
      return MPI_SUCCESS;
    }
    return operation->Send(blocks_.send.At(peer), blocks_.send.BytesOf(peer), peer, kSend);
  }

  ExchangeBlocks blocks_;
  Window sends_, receives_;
  const bool in_lockstep_;
};

}  // namespace

std::unique_ptr<Protocol> MakeWindowedExchange(ExchangeBlocks blocks, int64_t window) {
  return std::make_unique<WindowedExchange>(std::move(blocks), window, false);
}

std::unique_ptr<Protocol> MakePairwiseExchange(ExchangeBlocks blocks) {
  return std::make_unique<WindowedExchange>(std::move(blocks), 1, true);
}

}  // namespace cox::collectives
