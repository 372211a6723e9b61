#include "collectives/protocols/bruck.h"

#include <cstring>
#include <utility>
#include <vector>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

class Bruck final : public Protocol {
 public:
  explicit Bruck(ExchangeBlocks blocks) : blocks_(std::move(blocks)) {}

  int Start(Operation* operation) override {
    COX_TRY(blocks_.Begin(operation->channel().comm(), operation->rank()));
    block_bytes_ = static_cast<size_t>(blocks_.send.BytesOf(0));
    if (block_bytes_ == 0) return MPI_SUCCESS;
    const int ranks = operation->ranks();
    by_distance_.resize(block_bytes_ * static_cast<size_t>(ranks));
    for (int distance = 0; distance < ranks; ++distance) {
      std::memcpy(At(distance), blocks_.send.At((operation->rank() + distance) % ranks),
                  block_bytes_);
    }
    return BeginStep(operation);
  }

  int Done(Operation* operation, int) override {
    if (--under_way_ > 0) return MPI_SUCCESS;
    const char* next = received_.data();
    ForEachBlock(operation->ranks(), [&](char* block) {
      std::memcpy(block, next, block_bytes_);
      next += block_bytes_;
    });
    distance_ *= 2;
    return BeginStep(operation);
  }

  bool WaitsForAll() const override { return true; }

  int Finish(Operation* operation) override {
    if (block_bytes_ == 0) return MPI_SUCCESS;
    const int ranks = operation->ranks();
    for (int distance = 0; distance < ranks; ++distance) {
      std::memcpy(blocks_.receive.At((operation->rank() + ranks - distance) % ranks), At(distance),
                  block_bytes_);
    }
    return blocks_.receive.Unpack(operation->channel().comm());
  }

 private:
  char* At(int distance) {
    return by_distance_.data() + block_bytes_ * static_cast<size_t>(distance);
  }

  // The blocks that move in the current step.
  template <typename Function>
  void ForEachBlock(int ranks, const Function& function) {
    for (int distance = 0; distance < ranks; ++distance) {
      if ((distance & distance_) != 0) function(At(distance));
    }
  }

  int BeginStep(Operation* operation) {
    const int ranks = operation->ranks();
    if (distance_ >= ranks) return MPI_SUCCESS;
    sent_.clear();
    ForEachBlock(
        ranks, [&](const char* block) { sent_.insert(sent_.end(), block, block + block_bytes_); });
    received_.resize(sent_.size());
    const auto bytes = static_cast<int64_t>(sent_.size());
    under_way_ = 2;
    COX_TRY(operation->Receive(received_.data(), bytes,
                               (operation->rank() + ranks - distance_) % ranks, 0));
    return operation->Send(sent_.data(), bytes, (operation->rank() + distance_) % ranks, 0);
  }

  ExchangeBlocks blocks_;
  size_t block_bytes_ = 0;
  std::vector<char> by_distance_;  // to, and finally from, the rank at this distance
  std::vector<char> sent_, received_;
  int distance_ = 1;  // of the current step
  int under_way_ = 0;
};

}  // namespace

std::unique_ptr<Protocol> MakeBruck(ExchangeBlocks blocks) {
  return std::make_unique<Bruck>(std::move(blocks));
}

}  // namespace cox::collectives
