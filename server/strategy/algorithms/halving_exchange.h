// The steps of a reduce-scatter by halves: each active rank sends its partner the blocks of the
// partner's half. If the number of ranks is not a power of two, the first active ranks stand for
// two ranks and own two blocks, so that messages differ in size. Pure, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_HALVING_EXCHANGE_H_
#define COX_STRATEGY_ALGORITHMS_HALVING_EXCHANGE_H_

#include <cstdint>

#include "strategy/traffic/exchange.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {

// The order of the partners, which determines the blocks that a rank keeps:
//   kFarFirst: v xor p'/2, p'/4, ... 1; v keeps the half of the blocks that contains block v.
//   kNearFirst: v xor 1, 2, ... p'/2; v keeps the lower half of its blocks if its bit is 0. It
//   ends with the block whose number is v with its bits reversed.
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

  // The most blocks that a rank receives and combines with its own.
  double most_blocks() const { return BlocksFrom(0); }

  int64_t PartnerOf(int64_t v) const { return v ^ distance_; }
  // Blocks of the message to v.
  double BlocksFor(int64_t v) const { return BlocksFrom(FirstKept(v)); }

 private:
  // The first of the `half_` (virtual) blocks that v keeps.
  int64_t FirstKept(int64_t v) const;
  // Blocks of `half_` virtual ranks from `first` on.
  double BlocksFrom(int64_t first) const;

  Fold fold_;
  HalvingOrder order_;
  int64_t distance_;
  int64_t half_;  // virtual blocks that a rank keeps
};

// v of an active rank; -1 for others.
int64_t PlaceIn(const Fold& fold, int64_t rank);

// v with its log2(fold.active) bits reversed.
int64_t ReversedBits(const Fold& fold, int64_t v);

// After kNearFirst: each v sends its block to the rank that owns it, and the block of a folded rank
// to that rank.
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
