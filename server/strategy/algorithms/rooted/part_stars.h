// A superstep of C3's one-to-all algorithms: in each part of the machine one rank sends to evenly
// spaced ranks of the part.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_PART_STARS_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_PART_STARS_H_

#include <cstdint>

#include "strategy/traffic/exchange.h"
#include "topology/rooted_tree.h"

namespace cox::strategy {

// The ranks are cut into parts of `span` consecutive ones. In each part one rank sends: the one
// with the root's place in its part. It sends to every other rank that is a multiple of `step`
// away: `step` blocks, for that rank and those up to the next. step divides span, and span divides
// ranks.
class Stars final : public Exchange {
 public:
  Stars(const Scenario& scenario, const topology::RootedTree::Level& level)
      : ranks_(scenario.ranks),
        root_(scenario.root),
        span_(level.span),
        step_(level.step),
        blocks_(static_cast<double>(level.step)) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t at = rank % span_;
    if (at != root_ % span_) return;
    out->AddExcept(at / step_, {rank - at + root_ % step_, step_, span_ / step_}, blocks_);
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t at = rank % span_;
    if (at == root_ % span_ || rank % step_ != root_ % step_) return;
    out->AddOne(rank - at + root_ % span_, blocks_);
  }

  Totals totals() const override {
    const auto messages = static_cast<double>(ranks_ / span_ * (span_ / step_ - 1));
    return {messages, messages * blocks_};
  }

  int64_t Period(int64_t /*ranks*/) const override { return span_; }

  void Notable(RankList* out) const override {
    out->Add(root_);
    const int64_t begin = root_ - root_ % span_;
    out->Add(begin + (root_ % span_ + step_) % span_);
  }

 private:
  int64_t ranks_;
  int64_t root_;
  int64_t span_;
  int64_t step_;
  double blocks_;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_PART_STARS_H_
