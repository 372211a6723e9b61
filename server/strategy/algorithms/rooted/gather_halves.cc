#include "strategy/algorithms/rooted/gather_halves.h"

#include "strategy/algorithms/rooted/star.h"
#include "strategy/traffic/exchange.h"

namespace cox::strategy {
namespace {

constexpr char kGather = 0;  // its address is its name

// v of an active rank; -1 for others.
int64_t PlaceOf(const Fold& fold, int64_t rank) {
  if (rank >= 2 * fold.folded) return rank - fold.folded;
  return rank % 2 == fold.offset ? rank / 2 : -1;
}

// Maps v to ranks, and gives the v of the root.
class Places {
 public:
  Places(const Scenario& scenario, const Fold& fold)
      : fold_(fold), root_(scenario.root), replaces_(PlaceOf(fold, scenario.root) < 0) {}

  bool root_replaces_rank_0() const { return replaces_; }
  int64_t root() const { return replaces_ ? 0 : PlaceOf(fold_, root_); }
  int64_t RankOf(int64_t v) const { return replaces_ && v == 0 ? root_ : fold_.RankOf(v); }
  int64_t Of(int64_t rank) const {
    if (!replaces_) return PlaceOf(fold_, rank);
    if (rank == root_) return 0;
    return rank == fold_.RankOf(0) ? -1 : PlaceOf(fold_, rank);
  }

 private:
  Fold fold_;
  int64_t root_;
  bool replaces_;
};

// The ranks whose v equals the root's v except in bits below `distance`, and differs at that bit,
// send to v xor distance. distance: a power of two.
class GatherStep final : public Exchange {
 public:
  GatherStep(const Places& places, int64_t distance)
      : places_(places),
        distance_(distance),
        receivers_(places.root() / distance * distance),
        senders_(receivers_ ^ distance) {}

  void Sends(int64_t rank, Peers* out) const override { Partner(rank, senders_, out); }
  void Receives(int64_t rank, Peers* out) const override { Partner(rank, receivers_, out); }

  Totals totals() const override {
    return {static_cast<double>(distance_), static_cast<double>(distance_)};
  }

  void Notable(RankList* out) const override {
    out->Add(places_.RankOf(senders_));
    out->Add(places_.RankOf(receivers_));
  }

 private:
  // If the rank is among those that begin with v = `first`.
  void Partner(int64_t rank, int64_t first, Peers* out) const {
    const int64_t v = places_.Of(rank);
    if (v >= first && v < first + distance_) out->AddOne(places_.RankOf(v ^ distance_), 1);
  }

  Places places_;
  int64_t distance_;
  int64_t receivers_;
  int64_t senders_;
};

// The size of a message: at a step's distance every sender has 1 / (2 distance) of the vector.
double MessageBytes(const Scenario& scenario, int64_t distance) {
  return static_cast<double>(scenario.block_bytes) / static_cast<double>(2 * distance);
}

}  // namespace

void AddGatherOfHalves(const Scenario& scenario, const Fold& fold, model::Schedule* schedule) {
  if (fold.active < 2) return;
  const Places places(scenario, fold);
  if (places.root_replaces_rank_0()) {
    schedule->Add().traffic =
        OneToOne(scenario, 0, scenario.root, MessageBytes(scenario, fold.active / 2));
  }
  int64_t step = 0;
  for (int64_t distance = fold.active / 2; distance > 0; distance /= 2, ++step) {
    schedule->Add().traffic = TrafficOf(GatherStep(places, distance), {&kGather, step}, scenario,
                                        MessageBytes(scenario, distance));
  }
}

void EnumerateGatherOfHalves(const Scenario& scenario, const Fold& fold, Enumeration* out) {
  if (fold.active < 2) return;
  const Places places(scenario, fold);
  if (places.root_replaces_rank_0()) {
    out->Send(0, scenario.root, MessageBytes(scenario, fold.active / 2));
    out->EndPhase();
  }
  for (int64_t distance = fold.active / 2; distance > 0; distance /= 2) {
    const int64_t first = places.root() / distance * distance;
    for (int64_t v = first; v < first + distance; ++v) {
      out->Send(places.RankOf(v ^ distance), places.RankOf(v), MessageBytes(scenario, distance));
    }
    out->EndPhase();
  }
}

}  // namespace cox::strategy
