#include "strategy/algorithms/rooted/gather_windowed.h"

#include <algorithm>

#include "strategy/enumeration.h"
#include "strategy/traffic/exchange.h"
#include "strategy/traffic/residues.h"
#include "strategy/traffic/shared_parts.h"

namespace cox::strategy {
namespace {

// Senders at once: the knob, or all.
int64_t WindowOf(const Scenario& scenario, const Knobs& knobs) {
  const int64_t senders = std::max<int64_t>(scenario.ranks - 1, 1);
  return knobs.window == 0 ? senders : std::min(knobs.window, senders);
}

// All waves: blocks to the root, signals without any bytes between senders.
class Waves final : public Exchange {
 public:
  Waves(const Scenario& scenario, int64_t window)
      : ranks_(scenario.ranks), root_(scenario.root), window_(window) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t v = Mod(rank - root_, ranks_);
    if (v == 0) return;
    out->AddOne(root_, 1);
    if (v + window_ < ranks_) out->AddOne((rank + window_) % ranks_, 0);
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t v = Mod(rank - root_, ranks_);
    if (v == 0) {
      out->Add({0, 1, root_}, 1);
      out->Add({root_ + 1, 1, ranks_ - 1 - root_}, 1);
    } else if (v > window_) {
      out->AddOne(Mod(rank - window_, ranks_), 0);
    }
  }

  Totals totals() const override {
    const int64_t senders = ranks_ - 1;
    return {static_cast<double>(senders + senders - window_), static_cast<double>(senders)};
  }

  void Notable(RankList* out) const override {
    for (int64_t v : {int64_t{0}, int64_t{1}, window_ + 1, ranks_ - 1}) {
      out->Add((v + root_) % ranks_);
    }
  }

 private:
  int64_t ranks_;
  int64_t root_;
  int64_t window_;
};

constexpr char kGatherWindowed = 0;  // its address is its name

}  // namespace

void BuildGatherWindowed(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const int64_t window = WindowOf(scenario, knobs);
  model::Phase& phase = schedule->Add();
  phase.traffic = TrafficOf(Waves(scenario, window), {&kGatherWindowed, 0, window}, scenario);
  phase.work.touched_bytes = static_cast<double>(scenario.block_bytes);
  const int64_t waves = (scenario.ranks - 2) / window + 1;
  ShareAmong(static_cast<double>(waves), &phase);
}

void EnumerateGatherWindowed(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const int64_t window = WindowOf(scenario, knobs);
  const auto rank_of = [&scenario](int64_t v) { return (v + scenario.root) % scenario.ranks; };
  Enumeration out(scenario, sink);
  for (int64_t v = 1; v < scenario.ranks; ++v) {
    const int64_t wave = (v - 1) / window;
    out.SendIn(wave, rank_of(v), scenario.root, static_cast<double>(scenario.block_bytes));
    if (v + window < scenario.ranks) out.SendIn(wave, rank_of(v), rank_of(v + window), 0);
  }
}

}  // namespace cox::strategy
