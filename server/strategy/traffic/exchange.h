// The traffic of a phase in which ranks have peers along lines: rows and columns of a mesh, members
// of a part of the machine. It follows from each rank's peers and the placement on nodes.
//
// Exact in four cases: up to kCountedRanks ranks; one rank per node; a single node; and at most
// kCountedRanks ranks on nodes that differ from each other (see Exchange::Period). Beyond those,
// the busiest rank's totals and the totals over both levels are still exact. Their split into
// levels, and the busiest node, are estimates from the notable ranks and a few hundred ranks and
// nodes evenly spread over the machine. Pure except for a memory of earlier results; any thread
// (each has its own memory).
#ifndef COX_STRATEGY_TRAFFIC_EXCHANGE_H_
#define COX_STRATEGY_TRAFFIC_EXCHANGE_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "model/traffic.h"
#include "strategy/scenario.h"
#include "strategy/traffic/peers.h"

namespace cox::strategy {

inline constexpr int64_t kCountedRanks = 2048;

// A short list of ranks.
class RankList {
 public:
  static constexpr size_t kMaxRanks = 48;
  void Add(int64_t rank) {
    assert(size_ < kMaxRanks);
    ranks_[size_++] = rank;
  }
  const int64_t* begin() const { return ranks_.data(); }
  const int64_t* end() const { return ranks_.data() + size_; }

 private:
  size_t size_ = 0;
  std::array<int64_t, kMaxRanks> ranks_;
};

// A phase of messages of whole blocks.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // The messages that a rank sends, and those that it receives. O(1).
  virtual void Sends(int64_t rank, Peers* out) const = 0;
  virtual void Receives(int64_t rank, Peers* out) const = 0;

  // The totals of all ranks: messages and blocks. No rank sends two messages to the same rank.
  struct Totals {
    double messages = 0;
    double blocks = 0;
  };
  virtual Totals totals() const = 0;

  // A divisor of the number of ranks by which the exchange repeats: moving every rank by it (mod p)
  // leaves the exchange unchanged. The number of ranks itself always is one.
  virtual int64_t Period(int64_t ranks) const { return ranks; }

  // Adds ranks among which each field of model::RankTraffic has a busiest one.
  virtual void Notable(RankList* out) const = 0;
};

// The same exchange with every message reversed.
class Mirrored final : public Exchange {
 public:
  explicit Mirrored(const Exchange& exchange) : exchange_(exchange) {}

  void Sends(int64_t rank, Peers* out) const override { exchange_.Receives(rank, out); }
  void Receives(int64_t rank, Peers* out) const override { exchange_.Sends(rank, out); }
  Totals totals() const override { return exchange_.totals(); }
  int64_t Period(int64_t ranks) const override { return exchange_.Period(ranks); }
  void Notable(RankList* out) const override { exchange_.Notable(out); }

 private:
  const Exchange& exchange_;
};

// Identifies an exchange within a scenario: the algorithm (any unique address), the phase, and one
// more number on which the algorithm depends.
struct ExchangeId {
  const void* algorithm;
  int64_t phase;
  int64_t knob = 0;
};

// The traffic of an exchange. Exchanges of the same id must be equal if ranks, ppn, placement and
// root are. A block has scenario.block_bytes, or `block_bytes` if given (1: bytes count blocks).
model::Traffic TrafficOf(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario);
model::Traffic TrafficOf(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                         double block_bytes);

// The same without the memory, counting up to `counted_ranks` ranks; bytes count blocks.
model::Traffic UnitTraffic(const Exchange& exchange, const Scenario& scenario,
                           int64_t counted_ranks);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_EXCHANGE_H_
