#include <vector>

#include "collectives/error.h"
#include "collectives/rooted.h"

namespace cox::collectives {
namespace {

class WindowedSender final : public Protocol {
 public:
  WindowedSender(int root, int64_t window, const OwnBlock& own, const void* own_buffer)
      : root_(root), window_(window), own_(own), own_buffer_(own_buffer) {}

  int Start(Operation* operation) override {
    if (own_.bytes() == 0) return MPI_SUCCESS;
    if (!own_.datatype.is_dense) {
      message_.resize(static_cast<size_t>(own_.bytes()));
      COX_TRY(Pack(own_.datatype, own_buffer_, own_.count, operation->channel().comm(),
                   message_.data()));
    }
    const int64_t v = FromRoot(*operation);
    if (v <= window_) return SendBlock(operation);
    return operation->Receive(nullptr, 0, At(*operation, v - window_), kMyTurn, kSignals);
  }

  int Done(Operation* operation, int token) override {
    if (token == kMyTurn) return SendBlock(operation);
    const int64_t v = FromRoot(*operation);
    if (token != kSent || window_ >= operation->ranks() - v) return MPI_SUCCESS;
    return operation->Send(nullptr, 0, At(*operation, v + window_), kSignalled, kSignals);
  }

 private:
  enum Token : int { kMyTurn, kSent, kSignalled };
  static constexpr int kSignals = 1;  // a stream of their own

  // Not a plain send: that is over as soon as MPI has the bytes, wherever they are.
  int SendBlock(Operation* operation) {
    const void* data = message_.empty() ? own_buffer_ : message_.data();
    return operation->SendSynchronously(data, own_.bytes(), root_, kSent);
  }
  int64_t FromRoot(const Operation& operation) const {
    const int64_t v = operation.rank() - root_;
    return v < 0 ? v + operation.ranks() : v;
  }
  int At(const Operation& operation, int64_t v) const {
    return static_cast<int>((v + root_) % operation.ranks());
  }

  int root_;
  int64_t window_;
  OwnBlock own_;
  const void* own_buffer_;
  std::vector<char> message_;
};

}  // namespace

std::unique_ptr<Protocol> MakeWindowedSenderOfGather(int root, int64_t window, const OwnBlock& own,
                                                     const void* own_buffer) {
  return std::make_unique<WindowedSender>(root, window, own, own_buffer);
}

}  // namespace cox::collectives
