#include <vector>

#include "collectives/engine/error.h"
#include "collectives/engine/rooted.h"

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
    const int64_t ranks = operation->ranks();
    if ((operation->rank() - root_ + ranks) % ranks <= window_) return SendBlock(operation);
    return operation->Receive(nullptr, 0, root_, kMyTurn, kStartSignals);
  }

  int Done(Operation* operation, int token) override {
    return token == kMyTurn ? SendBlock(operation) : MPI_SUCCESS;
  }

 private:
  enum Token : int { kMyTurn, kSent };

  int SendBlock(Operation* operation) {
    const void* data = message_.empty() ? own_buffer_ : message_.data();
    return operation->Send(data, own_.bytes(), root_, kSent);
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
