// The traffic of a phase in which ranks have peers along lines: rows and columns of a mesh, the
// members of a part of the machine. What is on which node follows from who has which peers.
//
// Exact up to kCountedRanks ranks, with a rank on each node, on a single node, and where no more
// than kCountedRanks ranks are on nodes that are unlike each other (see Exchange::Period). Beyond,
// what the busiest rank does in all and the totals over both levels are still exact; how they
// divide into levels, and the busiest node, are those of a few hundred ranks and nodes evenly
// spread over the machine besides the notable ones. Pure but for a memory of what was worked out
// before; any thread (each has its own).
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

// A few ranks.
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

  // All of them: their number and their blocks. No rank sends two messages to the same one.
  struct Totals {
    double messages = 0;
    double blocks = 0;
  };
  virtual Totals totals() const = 0;

  // A divisor of the number of ranks such that the exchange stays the same when every rank takes
  // the place of the one so many further on (mod p). The number of ranks itself always is one.
  virtual int64_t Period(int64_t ranks) const { return ranks; }

  // Ranks among which is, for each field of model::RankTraffic, a busiest one.
  virtual void Notable(RankList* out) const = 0;
};

// The messages of an exchange the other way.
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

// What tells exchanges of one scenario apart: the algorithm (any address of its own), which phase,
// and a number that the algorithm depends on besides.
struct ExchangeId {
  const void* algorithm;
  int64_t phase;
  int64_t knob = 0;
};

// The traffic of an exchange. Two exchanges of the same id are the same wherever ranks, ppn,
// placement and root are. A block is scenario.block_bytes, or `block_bytes` where that is given (1:
// bytes are numbers of blocks).
model::Traffic TrafficOf(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario);
model::Traffic TrafficOf(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                         double block_bytes);

// The same, worked out afresh, counting up to `counted_ranks` ranks; bytes are numbers of blocks.
model::Traffic UnitTraffic(const Exchange& exchange, const Scenario& scenario,
                           int64_t counted_ranks);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_EXCHANGE_H_
