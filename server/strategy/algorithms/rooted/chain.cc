#include "strategy/algorithms/rooted/chain.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "strategy/algorithms/rooted/segments.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/reversed_traffic.h"

namespace cox::strategy {
namespace {

// The chains, in ranks counted from the root (v): 1, 2, ... p - 1 cut into consecutive runs, longer
// runs first.
struct Chains {
  Chains(int64_t ranks, int64_t fanout)
      : count(std::min(fanout, ranks - 1)),
        length(count == 0 ? 0 : (ranks - 1) / count),
        longer(count == 0 ? 0 : (ranks - 1) % count) {}

  // First v of chain i; of i == count, the end.
  int64_t Head(int64_t i) const { return 1 + i * length + std::min(i, longer); }
  int64_t depth() const { return length + (longer > 0 ? 1 : 0); }

  int64_t count;
  int64_t length;
  int64_t longer;  // number of chains that have one rank more
};

// Counts the links that cross nodes. A chain's links after its head are ring links (every rank to
// the next), which have a simple count. Chains lack the ring links into the root and into all
// heads. So only a few nodes differ from the ring.
class Links {
 public:
  Links(const Scenario& scenario, const Chains& chains)
      : nodes_(scenario), root_(scenario.root), root_node_(nodes_.Of(root_)), count_(chains.count) {
    // Under cyclic placement only the ring link from the last rank to rank 0 can stay in a node.
    home_stays_ = nodes_.Of(nodes_.ranks - 1) == 0;
    cuts_[0] = CutInto(0);
    for (int64_t i = 0; i < count_; ++i) {
      const int64_t head = chains.Head(i);
      const Cut& cut = cuts_[static_cast<size_t>(i) + 1] = CutInto(head);
      if (cut.to != root_node_) ++heads_crossing_;
      const int64_t hops = chains.Head(i + 1) - 1 - head;
      const int64_t crossing = CrossingFrom(RankOf(head), hops);
      crossing_of_[static_cast<size_t>(i)] = crossing;
      crossing_ += crossing;
      staying_ += hops - crossing;
      network_steps_ = std::max(network_steps_, crossing);
    }
    node_steps_ = chains.depth() - 1 - network_steps_;
    for (int64_t i = 0; i < count_; ++i) {
      const int64_t hops = chains.Head(i + 1) - 1 - chains.Head(i);
      late_ += std::max<int64_t>(0, hops - CrossingOf(i) - node_steps_);
    }
  }

  int64_t heads_crossing() const { return heads_crossing_; }
  // Of all links but those to the heads: they cross nodes, or stay in one.
  int64_t crossing() const { return crossing_; }
  int64_t staying() const { return staying_; }

  // A message on its own takes these steps down all chains at once: first the links in nodes, then
  // those between nodes. A chain with fewer of the latter takes its last links in nodes meanwhile.
  int64_t node_steps() const { return node_steps_; }
  int64_t network_steps() const { return network_steps_; }
  int64_t CrossingOf(int64_t chain) const { return crossing_of_[static_cast<size_t>(chain)]; }
  int64_t late() const { return late_; }  // links in nodes that are taken meanwhile

  bool IsCrossing(int64_t from, int64_t to) const { return nodes_.Of(from) != nodes_.Of(to); }

  // The most links that leave one node, and that enter one.
  struct Ends {
    int64_t out = 0;
    int64_t in = 0;
    void Widen(const Ends& other) {
      out = std::max(out, other.out);
      in = std::max(in, other.in);
    }
  };
  struct Busiest {
    Ends heads;
    Ends hops;  // the links after the heads
    Ends all;
  };
  Busiest OfBusiestNodes() const {
    if (nodes_.count == 1) return {};
    // The nodes that differ from the others: those of the root, of rank 0, and at the ends of links
    // that chains lack.
    std::array<int64_t, 2 * kMaxFanout + 4> special;
    size_t size = 0;
    const auto add = [&](int64_t node) {
      const auto end = special.begin() + size;
      if (std::find(special.begin(), end, node) == end) special[size++] = node;
    };
    add(root_node_);
    add(0);
    for (const Cut& cut : cuts()) {
      add(cut.from);
      add(cut.to);
    }
    Busiest busiest;
    int64_t special_large = 0;
    for (size_t i = 0; i < size; ++i) {
      const Ends heads = HeadsOf(special[i]);
      const Ends hops = HopsOf(special[i]);
      busiest.heads.Widen(heads);
      busiest.hops.Widen(hops);
      busiest.all.Widen({heads.out + hops.out, heads.in + hops.in});
      special_large += nodes_.SizeOf(special[i]) == nodes_.largest() ? 1 : 0;
    }
    if (static_cast<int64_t>(size) == nodes_.count) return busiest;
    const bool plain_large = special_large < nodes_.largest_count();
    const int64_t plain_size = plain_large ? nodes_.largest() : nodes_.smallest();
    const int64_t plain = nodes_.cyclic ? plain_size : 1;
    busiest.hops.Widen({plain, plain});
    busiest.all.Widen({plain, plain});
    return busiest;
  }

 private:
  // The nodes at both ends of a ring link that chains lack.
  struct Cut {
    int64_t from;
    int64_t to;
  };
  absl::Span<const Cut> cuts() const { return {cuts_.data(), static_cast<size_t>(count_) + 1}; }
  absl::Span<const Cut> heads() const { return cuts().subspan(1); }

  int64_t RankOf(int64_t v) const {
    const int64_t rank = v + root_;
    return rank < 0 ? rank + nodes_.ranks : (rank < nodes_.ranks ? rank : rank - nodes_.ranks);
  }
  Cut CutInto(int64_t v) const { return {nodes_.Of(RankOf(v - 1)), nodes_.Of(RankOf(v))}; }

  // Of the next `hops` ring links from a rank.
  int64_t CrossingFrom(int64_t rank, int64_t hops) const {
    if (nodes_.count == 1) return 0;
    const bool goes_home = rank + hops >= nodes_.ranks;
    if (nodes_.cyclic) return hops - (goes_home && home_stays_ ? 1 : 0);
    const int64_t last = goes_home ? rank + hops - nodes_.ranks : rank + hops;
    return nodes_.Of(last) - nodes_.Of(rank) + (goes_home ? nodes_.count : 0);
  }

  Ends HeadsOf(int64_t node) const {
    if (node == root_node_) return {heads_crossing_, 0};
    Ends links;
    for (const Cut& head : heads()) links.in += head.to == node ? 1 : 0;
    return links;
  }

  Ends HopsOf(int64_t node) const {
    const bool has_home = home_stays_ && node == 0;
    const int64_t ring = nodes_.cyclic ? nodes_.SizeOf(node) - (has_home ? 1 : 0) : 1;
    Ends links{ring, ring};
    for (const Cut& cut : cuts()) {
      if (cut.from == cut.to) continue;
      if (cut.from == node) --links.out;
      if (cut.to == node) --links.in;
    }
    return links;
  }

  Nodes nodes_;
  int64_t root_;
  int64_t root_node_;
  int64_t count_;
  int64_t heads_crossing_ = 0;
  int64_t crossing_ = 0;
  int64_t staying_ = 0;
  int64_t node_steps_ = 0;
  int64_t network_steps_ = 0;
  int64_t late_ = 0;
  bool home_stays_;
  std::array<Cut, kMaxFanout + 1> cuts_;  // into the root, and into each head
  std::array<int64_t, kMaxFanout> crossing_of_;
};

// Stages in which the links that are busy carry a message each.
struct Stages {
  double times;
  int64_t node_heads;  // of the links from the root: those in its node, and the others
  int64_t network_heads;
  double node_links;  // busy in a stage, their mean
  double network_links;
  double node_out_links;  // of the busiest node
  double node_in_links;
  double bytes;  // of a message, the longest
  double mean_bytes;
  bool disjoint;
};

model::LevelTraffic LevelOf(int64_t heads, double links, const Stages& stages) {
  if (!(links > 0)) return {};
  const auto sends = static_cast<double>(std::max<int64_t>(heads, 1));
  return {{sends, 1, sends * stages.bytes, stages.bytes, stages.bytes},
          links,
          links,
          links * stages.mean_bytes,
          0,
          0};
}

void Add(const Stages& stages, Direction direction, model::Schedule* schedule) {
  const int64_t heads = stages.node_heads + stages.network_heads;
  const auto sends = static_cast<double>(std::max<int64_t>(heads, 1));
  model::Traffic traffic;
  traffic.node = LevelOf(stages.node_heads, stages.node_links, stages);
  traffic.network = LevelOf(stages.network_heads, stages.network_links, stages);
  traffic.network.node_out_bytes = stages.node_out_links * stages.mean_bytes;
  traffic.network.node_in_bytes = stages.node_in_links * stages.mean_bytes;
  traffic.any = {sends, 1, sends * stages.bytes, stages.bytes, stages.bytes};
  traffic.disjoint = stages.disjoint;
  model::Phase& phase = schedule->Add();
  phase.times = stages.times;
  phase.repetitions = model::Repetitions::kPipelined;
  phase.traffic = direction == Direction::kFromRoot ? traffic : Reversed(traffic);
  // A rank combines what it receives, and the root receives most.
  if (direction == Direction::kToRoot) phase.work.reduced_bytes = sends * stages.mean_bytes;
}

// The links after the heads, one after the other in each chain.
void AddHops(int64_t steps, double node_links, double network_links, const Links::Ends& busiest,
             double bytes, Direction direction, model::Schedule* schedule) {
  if (steps == 0) return;
  const auto times = static_cast<double>(steps);
  Add({times, 0, 0, node_links / times, network_links / times,
       static_cast<double>(busiest.out) / times, static_cast<double>(busiest.in) / times, bytes,
       bytes, true},
      direction, schedule);
}

}  // namespace

int64_t FanoutOf(const Knobs& knobs) { return knobs.fanout == 0 ? 4 : knobs.fanout; }

absl::Status ChainApplies(const Scenario&, const Knobs& knobs) {
  if (knobs.fanout <= kMaxFanout) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("takes a fanout of at most ", kMaxFanout, ", not ", knobs.fanout));
}

// The first segment goes down alone. Then each stage brings one more segment to every rank: a rank
// passes it on as soon as it comes. With deterministic times this is the time of queues in a row:
// the way of the first customer, and the slowest service for each of the others.
void BuildChain(Direction direction, const Scenario& scenario, int64_t fanout,
                int64_t segment_bytes, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Chains chains(scenario.ranks, fanout);
  const Segments segments(scenario, static_cast<double>(scenario.block_bytes), segment_bytes);
  const Links links(scenario, chains);
  const Links::Busiest busiest = links.OfBusiestNodes();
  const int64_t network_heads = links.heads_crossing();
  const int64_t node_heads = chains.count - network_heads;

  const auto add_all = [&](bool with_hops, const Links::Ends& ends, double times, double bytes,
                           double mean_bytes) {
    Add({times, node_heads, network_heads,
         static_cast<double>(node_heads + (with_hops ? links.staying() : 0)),
         static_cast<double>(network_heads + (with_hops ? links.crossing() : 0)),
         static_cast<double>(ends.out), static_cast<double>(ends.in), bytes, mean_bytes,
         !with_hops || chains.depth() == 1},
        direction, schedule);
  };
  const bool down = direction == Direction::kFromRoot;
  if (down) add_all(false, busiest.heads, 1, segments.bytes, segments.bytes);
  AddHops(links.node_steps(), static_cast<double>(links.staying() - links.late()), 0, {},
          segments.bytes, direction, schedule);
  AddHops(links.network_steps(), static_cast<double>(links.late()),
          static_cast<double>(links.crossing()), busiest.hops, segments.bytes, direction, schedule);
  if (!down) add_all(false, busiest.heads, 1, segments.bytes, segments.bytes);
  const double others = segments.count - 1;
  if (!(others > 0)) return;
  add_all(true, busiest.all, others, segments.BytesOf(1),
          (segments.message_bytes - segments.bytes) / others);
}

void EnumerateChain(Direction direction, const Scenario& scenario, int64_t fanout,
                    int64_t segment_bytes, MessageSink sink) {
  if (scenario.ranks == 1) return;
  const Chains chains(scenario.ranks, fanout);
  const Segments segments(scenario, static_cast<double>(scenario.block_bytes), segment_bytes);
  const Links links(scenario, chains);
  const bool down = direction == Direction::kFromRoot;
  const int64_t node_phase = down ? 1 : 0;
  const int64_t network_phase = node_phase + (links.node_steps() > 0 ? 1 : 0);
  const int64_t after_hops = network_phase + (links.network_steps() > 0 ? 1 : 0);
  const int64_t others_phase = down ? after_hops : after_hops + 1;
  int64_t listed_phase = 0;
  const auto send = [&](int64_t phase, int64_t repetition, int64_t parent, int64_t child,
                        int64_t segment) {
    if (phase != listed_phase) return;
    sink({phase, repetition, down ? parent : child, down ? child : parent,
          segments.BytesOf(segment)});
  };
  const auto list_chain = [&](int64_t chain) {
    int64_t node_step = 0;
    int64_t network_step = 0;
    int64_t late_step = links.CrossingOf(chain);
    for (int64_t v = chains.Head(chain); v < chains.Head(chain + 1); ++v) {
      const int64_t depth = v - chains.Head(chain);
      const int64_t child = (v + scenario.root) % scenario.ranks;
      const int64_t parent = ((depth == 0 ? 0 : v - 1) + scenario.root) % scenario.ranks;
      if (depth == 0) {
        send(down ? 0 : after_hops, 0, parent, child, 0);
      } else {
        const bool in_node = !links.IsCrossing(parent, child);
        const bool is_early = in_node && node_step < links.node_steps();
        const int64_t steps = is_early ? links.node_steps() : links.network_steps();
        int64_t& next = is_early ? node_step : (in_node ? late_step : network_step);
        const int64_t step = next++;
        send(is_early ? node_phase : network_phase, down ? step : steps - 1 - step, parent, child,
             0);
      }
      if (listed_phase != others_phase) continue;
      for (int64_t i = 1; i < static_cast<int64_t>(segments.count); ++i) {
        send(others_phase, i - 1, parent, child, i);
      }
    }
  };
  for (; listed_phase <= others_phase; ++listed_phase) {
    for (int64_t chain = 0; chain < chains.count; ++chain) list_chain(chain);
  }
}

}  // namespace cox::strategy
