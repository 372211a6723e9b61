// The steps of a reduce-scatter by halves: whoever takes part exchanges what the other half of its
// group is to have. Where the number of ranks is no power of two, the first of those that take part
// stand for two ranks and have two blocks, so that messages differ in size. Pure, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_HALVING_EXCHANGE_H_
#define COX_STRATEGY_ALGORITHMS_HALVING_EXCHANGE_H_

#include <cstdint>

#include "strategy/traffic/exchange.h"
#include "strategy/traffic/patterns.h"

namespace cox::strategy {

// In which order the partners come, and so the blocks that a rank keeps:
//   kFarFirst: v xor p'/2, p'/4, ... 1; v keeps the half of the blocks that v itself is in.
//   kNearFirst: v xor 1, 2, ... p'/2; v keeps the lower half of the blocks it has where its bit is
//   0. In the end it has the block of v with its bits reversed.
enum class HalvingOrder { kFarFirst, kNearFirst };

// Step 0, 1, ... log2(fold.active) - 1. fold.offset is 1.
class HalvingExchange final : public Exchange {
 public:
  struct Step {
    HalvingOrder order;
    int64_t index;
  };
  HalvingExchange(const Fold& fold, const Step& step);

  void Sends(int64_t rank, Peers* out) const override;
  void Receives(int64_t rank, Peers* out) const override;
  Totals totals() const override;
  void Notable(RankList* out) const override;

  // The most blocks that a rank receives, to be combined with its own.
  double most_blocks() const { return BlocksFrom(0); }

  int64_t PartnerOf(int64_t v) const { return v ^ distance_; }
  // Of the message to v.
  double BlocksFor(int64_t v) const { return BlocksFrom(FirstKept(v)); }

 private:
  // The first of the `half_` (virtual) blocks that v keeps.
  int64_t FirstKept(int64_t v) const;
  // Of `half_` virtual ones from this on.
  double BlocksFrom(int64_t first) const;

  Fold fold_;
  HalvingOrder order_;
  int64_t distance_;
  int64_t half_;  // virtual blocks that are kept
};

// v of a rank that takes part; -1 for others.
int64_t PlaceIn(const Fold& fold, int64_t rank);

// v with its log2(fold.active) bits in reverse.
int64_t ReversedBits(const Fold& fold, int64_t v);

// After kNearFirst: each v sends the block that it has to whom it belongs, and that of the rank
// for which that one stands to that rank.
class MirrorExchange final : public Exchange {
 public:
  explicit MirrorExchange(const Fold& fold) : fold_(fold) {}

  void Sends(int64_t rank, Peers* out) const override;
  void Receives(int64_t rank, Peers* out) const override;
  Totals totals() const override;
  void Notable(RankList* out) const override;

 private:
  Fold fold_;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_HALVING_EXCHANGE_H_
