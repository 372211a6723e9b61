#include "collectives/protocols/routed_blocks.h"

#include <cstring>
#include <utility>
#include <vector>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

class RoutedBlocks final : public Protocol {
 public:
  RoutedBlocks(ExchangeBlocks blocks, const Route& route)
      : blocks_(std::move(blocks)), route_(route), to_come_(route.phases.size()) {}

  int Start(Operation* operation) override {
    COX_TRY(blocks_.Begin(operation->channel().comm(), operation->rank()));
    block_bytes_ = blocks_.send.BytesOf(0);
    if (block_bytes_ == 0) return MPI_SUCCESS;
    arrived_.resize(static_cast<size_t>(block_bytes_ * (route_.slots - operation->ranks())));
    for (size_t phase = 0; phase < route_.phases.size(); ++phase) {
      for (const Route::Receive& receive : route_.phases[phase].receives) {
        COX_TRY(operation->Receive(At(receive.first_slot), receive.count * block_bytes_,
                                   receive.peer, static_cast<int>(phase)));
        ++to_come_[phase];
      }
    }
    COX_TRY(SendPhase(operation, 0));
    return Advance(operation);
  }

  int Done(Operation* operation, int token) override {
    if (token == kSend) return MPI_SUCCESS;
    --to_come_[static_cast<size_t>(token)];
    return Advance(operation);
  }

  bool WaitsForAll() const override { return phase_ + 1 >= route_.phases.size(); }

  int Finish(Operation* operation) override {
    if (block_bytes_ == 0) return MPI_SUCCESS;
    for (int source = 0; source < operation->ranks(); ++source) {
      if (source == operation->rank()) continue;
      std::memcpy(blocks_.receive.At(source), At(route_.from[static_cast<size_t>(source)]),
                  static_cast<size_t>(block_bytes_));
    }
    return blocks_.receive.Unpack(operation->channel().comm());
  }

 private:
  static constexpr int kSend = -1;  // the tokens of receives are their phases

  char* At(int slot) {
    const int ranks = blocks_.send.ranks();
    if (slot < ranks) return blocks_.send.At(slot);
    return arrived_.data() + block_bytes_ * (slot - ranks);
  }

  int Advance(Operation* operation) {
    while (phase_ < to_come_.size() && to_come_[phase_] == 0) {
      COX_TRY(SendPhase(operation, ++phase_));
    }
    return MPI_SUCCESS;
  }

  int SendPhase(Operation* operation, size_t phase) {
    if (phase >= route_.phases.size()) return MPI_SUCCESS;
    for (const Route::Send& send : route_.phases[phase].sends) {
      const int64_t bytes = static_cast<int64_t>(send.slots.size()) * block_bytes_;
      const char* data = At(send.slots.front());
      if (!AreInARow(send.slots)) {
        std::vector<char>& message = sent_.emplace_back(static_cast<size_t>(bytes));
        char* next = message.data();
        for (const int slot : send.slots) {
          std::memcpy(next, At(slot), static_cast<size_t>(block_bytes_));
          next += block_bytes_;
        }
        data = message.data();
      }
      COX_TRY(operation->Send(data, bytes, send.peer, kSend));
    }
    return MPI_SUCCESS;
  }

  // True if blocks lie in memory as they are sent. The program's own need not: their datatype
  // places them.
  bool AreInARow(const std::vector<int>& slots) const {
    if (slots.size() == 1) return true;
    for (size_t i = 1; i < slots.size(); ++i) {
      if (slots[i] != slots[i - 1] + 1) return false;
    }
    return slots.front() >= blocks_.send.ranks();
  }

  ExchangeBlocks blocks_;
  const Route& route_;
  int64_t block_bytes_ = 0;
  std::vector<char> arrived_;
  std::vector<std::vector<char>> sent_;
  std::vector<int> to_come_;  // missing messages, by phase
  size_t phase_ = 0;          // the phase whose messages are missing
};

}  // namespace

std::unique_ptr<Protocol> MakeRoutedBlocks(ExchangeBlocks blocks, const Route& route) {
  return std::make_unique<RoutedBlocks>(std::move(blocks), route);
}

}  // namespace cox::collectives
