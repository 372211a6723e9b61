#include "strategy/algorithms/rooted/knomial.h"

#include <algorithm>

#include "strategy/enumeration.h"
#include "strategy/traffic/exchange.h"

namespace cox::strategy {
namespace {

constexpr char kKnomial = 0;  // its address is its name

int64_t RadixOf(const Scenario& scenario, const Knobs& knobs) {
  const int64_t radix = knobs.radix == 0 ? 4 : knobs.radix;
  return std::min(radix, std::max<int64_t>(scenario.ranks, 2));
}

// The distance of the root's farthest children. At least two ranks.
int64_t FarthestDistance(int64_t ranks, int64_t radix) {
  int64_t distance = 1;
  while (distance <= (ranks - 1) / radix) distance *= radix;
  return distance;
}

// Ranks count from the root: v = 0, k d, 2 k d, ... send to v + d, v + 2 d, ... v + (k - 1) d.
class Level final : public Exchange {
 public:
  Level(const Scenario& scenario, int64_t radix, int64_t distance)
      : ranks_(scenario.ranks),
        root_(scenario.root),
        distance_(distance),
        span_(radix * distance) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t v = FromRoot(rank);
    if (v % span_ != 0) return;
    const int64_t end = std::min(v + span_, ranks_);
    const int64_t children = (end - v - 1) / distance_;
    // The peers before rank p - 1 and those after it.
    const int64_t before = std::clamp<int64_t>((ranks_ - 1 - root_ - v) / distance_, 0, children);
    const int64_t first = v + root_ + distance_;
    out->Add({first, distance_, before}, 1);
    out->Add({first + before * distance_ - ranks_, distance_, children - before}, 1);
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t v = FromRoot(rank);
    if (v % distance_ != 0 || v % span_ == 0) return;
    out->AddOne((v - v % span_ + root_) % ranks_, 1);
  }

  Totals totals() const override {
    const int64_t child_count = (ranks_ - 1) / distance_ - (ranks_ - 1) / span_;
    const auto children = static_cast<double>(child_count);
    return {children, children};
  }

  void Notable(RankList* out) const override {
    out->Add(root_);
    out->Add((root_ + distance_) % ranks_);
  }

 private:
  int64_t FromRoot(int64_t rank) const {
    return rank < root_ ? rank - root_ + ranks_ : rank - root_;
  }

  int64_t ranks_;
  int64_t root_;
  int64_t distance_;
  int64_t span_;
};

}  // namespace

absl::Status KnomialApplies(const Scenario&, const Knobs& knobs) {
  if (knobs.radix != 1) return absl::OkStatus();
  return absl::FailedPreconditionError("takes a radix of at least 2, not 1");
}

void BuildKnomial(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const int64_t radix = RadixOf(scenario, knobs);
  int64_t distance = FarthestDistance(scenario.ranks, radix);
  for (int64_t level = 0; distance > 0; ++level, distance /= radix) {
    schedule->Add().traffic =
        TrafficOf(Level(scenario, radix, distance), {&kKnomial, level, radix}, scenario);
  }
}

void EnumerateKnomial(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  if (scenario.ranks == 1) return;
  const int64_t ranks = scenario.ranks;
  const int64_t radix = RadixOf(scenario, knobs);
  Enumeration out(scenario, sink);
  for (int64_t distance = FarthestDistance(ranks, radix); distance > 0; distance /= radix) {
    for (int64_t v = distance; v < ranks; v += distance) {
      const int64_t parent = v - v % (radix * distance);
      if (parent == v) continue;
      out.Send((parent + scenario.root) % ranks, (v + scenario.root) % ranks,
               static_cast<double>(scenario.block_bytes));
    }
    out.EndPhase();
  }
}

}  // namespace cox::strategy
