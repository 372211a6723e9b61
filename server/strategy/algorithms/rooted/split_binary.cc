#include "strategy/algorithms/rooted/split_binary.h"

#include "strategy/algorithms/rooted/segmented_tree.h"
#include "strategy/traffic/exchange.h"

namespace cox::strategy {
namespace {

constexpr char kHalves = 0;  // its address is its name

TreeMessage HalfOf(const Scenario& scenario, const Knobs& knobs) {
  return {static_cast<double>(scenario.block_bytes) / 2, knobs.segment_bytes};
}

// Ranks count from the root. Odd ranks have one half of the message, even ranks the other; 2 i - 1
// exchanges with 2 i. The root has both halves: it sends to the last rank if that has no partner.
class Halves final : public Exchange {
 public:
  explicit Halves(const Scenario& scenario) : ranks_(scenario.ranks), root_(scenario.root) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t v = rank < root_ ? rank - root_ + ranks_ : rank - root_;
    const bool last_is_alone = ranks_ % 2 == 0;
    if (v == 0) {
      if (last_is_alone) out->AddOne((ranks_ - 1 + root_) % ranks_, 1);
    } else if (!last_is_alone || v != ranks_ - 1) {
      out->AddOne(PartnerOf(v), 1);
    }
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t v = rank < root_ ? rank - root_ + ranks_ : rank - root_;
    if (v == 0) return;
    const bool is_alone = ranks_ % 2 == 0 && v == ranks_ - 1;
    out->AddOne(is_alone ? root_ : PartnerOf(v), 1);
  }

  Totals totals() const override {
    const auto receivers = static_cast<double>(ranks_ - 1);
    return {receivers, receivers};
  }

  void Notable(RankList* out) const override {
    for (int64_t v : {int64_t{0}, int64_t{1}, ranks_ - 1}) out->Add((v + root_) % ranks_);
  }

 private:
  int64_t PartnerOf(int64_t v) const { return ((v % 2 != 0 ? v + 1 : v - 1) + root_) % ranks_; }

  int64_t ranks_;
  int64_t root_;
};

}  // namespace

void BuildSplitBinary(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const TreeMessage half = HalfOf(scenario, knobs);
  AddTree(BinaryTree(scenario), Direction::kFromRoot, scenario, half, schedule);
  schedule->Add().traffic = TrafficOf(Halves(scenario), {&kHalves, 0}, scenario, half.bytes);
}

void EnumerateSplitBinary(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const TreeMessage half = HalfOf(scenario, knobs);
  EnumerateTree(BinaryTree(scenario), Direction::kFromRoot, scenario, half, sink);
  const Halves halves(scenario);
  for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
    Peers peers;
    halves.Sends(rank, &peers);
    for (const PeerRun& run : peers) sink({1, 0, rank, run.first, half.bytes});
  }
}

}  // namespace cox::strategy
