#include "strategy/algorithms/rooted/part_leaders.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "strategy/enumeration.h"
#include "strategy/traffic/exchange.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/part.h"
#include "strategy/traffic/residues.h"
#include "topology/roots.h"

namespace cox::strategy {
namespace {

// The parts of v = 0 .. ranks - 1, counted from the root. The first `larger` ones have `size` + 1
// ranks, the others `size`.
struct Parts {
  Parts(const Scenario& scenario, const Knobs& knobs)
      : ranks(scenario.ranks),
        count(std::min(knobs.fanout == 0 ? topology::CeilSquareRoot(scenario.ranks) : knobs.fanout,
                       ranks)),
        size(ranks / count),
        larger(ranks % count) {}

  int64_t Begin(int64_t part) const { return part * size + std::min(part, larger); }
  int64_t SizeOf(int64_t part) const { return part < larger ? size + 1 : size; }
  int64_t PartOf(int64_t v) const {
    const int64_t end = larger * (size + 1);  // of the larger ones
    return v < end ? v / (size + 1) : larger + (v - end) / size;
  }

  int64_t ranks;
  int64_t count;
  int64_t size;
  int64_t larger;
};

// One level. Leaders are the first ranks of their parts.
class Level : public Exchange {
 public:
  Level(const Scenario& scenario, const Parts& parts) : parts_(parts), root_(scenario.root) {}

 protected:
  const Parts& parts() const { return parts_; }
  int64_t Place(int64_t rank) const { return Mod(rank - root_, parts_.ranks); }
  int64_t RankOf(int64_t v) const { return (v + root_) % parts_.ranks; }

  // Adds v = first, first + step, ..., which may pass the last rank.
  void AddRun(const Spaced& run, double blocks, Peers* out) const {
    if (run.terms <= 0) return;
    const int64_t before_end = parts_.ranks - root_ - run.first;
    const int64_t terms = std::clamp<int64_t>((before_end + run.step - 1) / run.step, 0, run.terms);
    out->Add({root_ + run.first, run.step, terms}, blocks);
    out->Add({root_ + run.first + terms * run.step - parts_.ranks, run.step, run.terms - terms},
             blocks);
  }

 private:
  Parts parts_;
  int64_t root_;
};

// From the root to the leaders.
class ToLeaders final : public Level {
 public:
  using Level::Level;

  void Sends(int64_t rank, Peers* out) const override {
    if (Place(rank) != 0) return;
    const Parts& all = parts();
    const int64_t first = std::max<int64_t>(all.larger, 1);  // smaller part with another leader
    AddRun({all.size + 1, all.size + 1, all.larger - 1}, static_cast<double>(all.size + 1), out);
    AddRun({all.Begin(first), all.size, all.count - first}, static_cast<double>(all.size), out);
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t v = Place(rank);
    const int64_t part = parts().PartOf(v);
    if (v == 0 || v != parts().Begin(part)) return;
    out->AddOne(RankOf(0), static_cast<double>(parts().SizeOf(part)));
  }

  Totals totals() const override {
    return {static_cast<double>(parts().count - 1),
            static_cast<double>(parts().ranks - parts().SizeOf(0))};
  }

  void Notable(RankList* out) const override {
    out->Add(RankOf(0));
    out->Add(RankOf(parts().Begin(1)));
  }
};

// From each leader to the ranks of its part.
class ToMembers final : public Level {
 public:
  using Level::Level;

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t v = Place(rank);
    const int64_t part = parts().PartOf(v);
    if (v == parts().Begin(part)) AddRun({v + 1, 1, parts().SizeOf(part) - 1}, 1, out);
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t v = Place(rank);
    const int64_t leader = parts().Begin(parts().PartOf(v));
    if (v != leader) out->AddOne(RankOf(leader), 1);
  }

  Totals totals() const override {
    const auto members = static_cast<double>(parts().ranks - parts().count);
    return {members, members};
  }

  void Notable(RankList* out) const override {
    out->Add(RankOf(0));
    out->Add(RankOf(1));
  }
};

constexpr char kNames[2] = {};  // the address of one is its direction's name

}  // namespace

absl::Status PartLeadersApply(const Scenario& scenario, const Knobs& /*knobs*/) {
  const int64_t nodes = Nodes(scenario).count;
  const bool counts = scenario.placement == Placement::kBlock || scenario.ranks <= kCountedRanks ||
                      nodes == 1 || nodes == scenario.ranks;
  if (counts) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("is worked out for at most ", kCountedRanks,
                   " ranks dealt to nodes of several in turn, not ", scenario.ranks));
}

template <Direction kDirection>
void BuildPartLeaders(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const Parts parts(scenario, knobs);
  const ToLeaders to_leaders(scenario, parts);
  const ToMembers to_members(scenario, parts);
  constexpr bool kFromRoot = kDirection == Direction::kFromRoot;
  for (const int64_t i : {0, 1}) {
    const int64_t level = kFromRoot ? i : 1 - i;
    const Exchange& exchange = level == 0 ? static_cast<const Exchange&>(to_leaders) : to_members;
    if (!(exchange.totals().messages > 0)) continue;
    const ExchangeId id{&kNames[kFromRoot ? 0 : 1], level, parts.count};
    model::Phase& phase = schedule->Add();
    phase.traffic =
        kFromRoot ? TrafficOf(exchange, id, scenario) : TrafficOf(Mirrored(exchange), id, scenario);
    if (level == 1) phase.submachine = SquareOf(scenario, parts.SizeOf(0));
    // A rank with one block need not divide it.
    if (level == 0 && parts.SizeOf(0) > 1) {
      phase.work.touched_bytes =
          static_cast<double>(parts.SizeOf(0)) * static_cast<double>(scenario.block_bytes);
    }
  }
}

template <Direction kDirection>
void EnumeratePartLeaders(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Parts parts(scenario, knobs);
  const auto rank_of = [&scenario](int64_t v) { return (v + scenario.root) % scenario.ranks; };
  Enumeration out(scenario, sink);
  const auto send = [&](int64_t leader, int64_t other, int64_t blocks) {
    const double bytes = static_cast<double>(blocks) * static_cast<double>(scenario.block_bytes);
    if constexpr (kDirection == Direction::kFromRoot) {
      out.Send(rank_of(leader), rank_of(other), bytes);
    } else {
      out.Send(rank_of(other), rank_of(leader), bytes);
    }
  };
  for (const int64_t i : {0, 1}) {
    const int64_t level = kDirection == Direction::kFromRoot ? i : 1 - i;
    for (int64_t part = 0; part < parts.count; ++part) {
      const int64_t leader = parts.Begin(part);
      if (level == 0 && part > 0) send(0, leader, parts.SizeOf(part));
      for (int64_t v = leader + 1; level == 1 && v < leader + parts.SizeOf(part); ++v) {
        send(leader, v, 1);
      }
    }
    out.EndPhase();
  }
}

template void BuildPartLeaders<Direction::kFromRoot>(const Scenario&, const Knobs&,
                                                     model::Schedule*);
template void BuildPartLeaders<Direction::kToRoot>(const Scenario&, const Knobs&, model::Schedule*);
template void EnumeratePartLeaders<Direction::kFromRoot>(const Scenario&, const Knobs&,
                                                         MessageSink);
template void EnumeratePartLeaders<Direction::kToRoot>(const Scenario&, const Knobs&, MessageSink);

}  // namespace cox::strategy
