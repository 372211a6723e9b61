#include "collectives/choice/ping_pong.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "collectives/engine/clock.h"
#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

// Round trips of one size, then of the other. The shortest counts, because the first may wait for
// the last rank to arrive.
constexpr int kRoundsOfASize = 8;
constexpr int64_t kSmall = 1;
constexpr int64_t kLarge = 65536;
constexpr int kStream = 3;

int64_t BytesOf(int round) { return round < kRoundsOfASize ? kSmall : kLarge; }

class PingPong final : public Protocol {
 public:
  explicit PingPong(std::function<Chosen(const domain::CostProfile&)> go_on)
      : go_on_(std::move(go_on)), message_(kLarge), answer_(kLarge) {}

  int Start(Operation* operation) override {
    is_first_ = operation->rank() == 0;
    peer_ = is_first_ ? operation->ranks() - 1 : 0;
    return BeginRound(operation);
  }

  int Done(Operation* operation, int token) override {
    --out_;
    if (token == kReceived) {
      if (is_first_) {
        double& shortest_s = round_ < kRoundsOfASize ? small_s_ : large_s_;
        shortest_s = std::min(shortest_s, NowSeconds() - begin_s_);
      } else {
        COX_TRY(Send(operation));
      }
    }
    if (out_ > 0) return MPI_SUCCESS;
    if (++round_ < 2 * kRoundsOfASize) return BeginRound(operation);
    Chosen chosen = go_on_(is_first_ ? Measured() : domain::CostProfile());
    operation->Become(std::move(chosen.protocol), std::move(chosen.algorithm));
    return MPI_SUCCESS;
  }

 private:
  enum Token : int { kSent, kReceived };

  int BeginRound(Operation* operation) {
    begin_s_ = NowSeconds();
    COX_TRY(operation->Receive(answer_.data(), BytesOf(round_), peer_, kReceived, kStream));
    ++out_;
    return is_first_ ? Send(operation) : MPI_SUCCESS;
  }

  int Send(Operation* operation) {
    COX_TRY(operation->Send(message_.data(), BytesOf(round_), peer_, kSent, kStream));
    ++out_;
    return MPI_SUCCESS;
  }

  domain::CostProfile Measured() const {
    domain::CostProfile costs;
    costs.alpha_s = small_s_ / 2;
    costs.beta_s_per_byte = std::max(0.0, (large_s_ - small_s_) / 2 / double{kLarge - kSmall});
    return costs;
  }

  const std::function<Chosen(const domain::CostProfile&)> go_on_;
  std::vector<char> message_, answer_;
  bool is_first_ = false;
  int peer_ = 0;
  int round_ = 0;
  int out_ = 0;
  double begin_s_ = 0;
  double small_s_ = std::numeric_limits<double>::max();
  double large_s_ = std::numeric_limits<double>::max();
};

}  // namespace

std::unique_ptr<Protocol> MakePingPong(
    std::function<Chosen(const domain::CostProfile& costs)> go_on) {
  return std::make_unique<PingPong>(std::move(go_on));
}

}  // namespace cox::collectives
