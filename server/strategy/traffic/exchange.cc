#include "strategy/traffic/exchange.h"

#include <algorithm>
#include <numeric>

#include "strategy/traffic/node_peers.h"
#include "strategy/traffic/nodes.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::RankTraffic;
using model::Traffic;

// The sample sizes beyond kCountedRanks: ranks and nodes, and ranks of a node.
constexpr int64_t kSampledRanks = 512;
constexpr int64_t kSampledNodes = 8;
constexpr int64_t kSampledRanksOfNode = 24;

// The i-th of a sequence of numbers below `end` whose every prefix is evenly spread: the fractions
// of the multiples of the golden ratio.
int64_t Spread(int64_t i, int64_t end) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  const uint64_t fraction = (static_cast<uint64_t>(i) * kGoldenRatio) >> 32;  // of 2^32
  return static_cast<int64_t>((fraction * static_cast<uint64_t>(end)) >> 32);
}

void Widen(const OneWay& sends, const OneWay& receives, RankTraffic* rank) {
  rank->sends_count = std::max(rank->sends_count, sends.messages);
  rank->receives_count = std::max(rank->receives_count, receives.messages);
  rank->out_bytes = std::max(rank->out_bytes, sends.blocks);
  rank->in_bytes = std::max(rank->in_bytes, receives.blocks);
  rank->max_message_bytes =
      std::max({rank->max_message_bytes, sends.max_blocks, receives.max_blocks});
}

// Sums over the sampled ranks.
struct Sums {
  double ranks = 0;
  OneWay node_sends;
  OneWay node_receives;
  double network_out_blocks = 0;
  double network_in_blocks = 0;
};

void Add(const OneWay& one, OneWay* sum) {
  sum->messages += one.messages;
  sum->blocks += one.blocks;
}

class Scan {
 public:
  Scan(const Exchange& exchange, const Scenario& scenario)
      : exchange_(exchange), nodes_(scenario), peers_in_node_(nodes_) {
    traffic_.disjoint = true;
    exchange.Notable(&notable_);
  }

  // How many first nodes represent all: the others repeat them, moved by a multiple of the
  // exchange's period. All nodes if that does not hold.
  int64_t UnlikeNodes() const {
    if (nodes_.smallest() != nodes_.largest()) return nodes_.count;
    const int64_t period = exchange_.Period(nodes_.ranks);
    return nodes_.cyclic ? std::gcd(period, nodes_.count) : period / std::gcd(period, nodes_.ppn);
  }

  // Counts all ranks of the first nodes, which represent all nodes.
  Traffic Counted(int64_t unlike_nodes) {
    for (int64_t node = 0; node < unlike_nodes; ++node) {
      const Sums before = sums_;
      const int64_t size = nodes_.SizeOf(node);
      for (int64_t i = 0; i < size; ++i) Look(node, RankOf(node, i));
      WidenNode(sums_.network_out_blocks - before.network_out_blocks,
                sums_.network_in_blocks - before.network_in_blocks);
    }
    const int64_t alike = nodes_.count / unlike_nodes;
    const auto times = static_cast<double>(alike);
    SetTotals({sums_.node_sends.messages * times, sums_.node_sends.blocks * times});
    return traffic_;
  }

  // If all messages are of one level.
  Traffic OfOneLevel() {
    for (int64_t rank : notable_) Look(nodes_.Of(rank), rank);
    const bool in_node = nodes_.count == 1;
    SetTotals(in_node ? OneWay{exchange_.totals().messages, exchange_.totals().blocks} : OneWay{});
    if (!in_node) WidenNode(traffic_.any.out_bytes, traffic_.any.in_bytes);
    return traffic_;
  }

  Traffic Sample() {
    for (int64_t i = 0; i < kSampledRanks; ++i) {
      const int64_t rank = Spread(i, nodes_.ranks);
      Look(nodes_.Of(rank), rank);
    }
    const Sums spread = sums_;
    for (int64_t rank : notable_) {
      Look(nodes_.Of(rank), rank);
      SampleNode(nodes_.Of(rank));
    }
    for (int64_t i = 0; i < kSampledNodes; ++i) SampleNode(Spread(i, nodes_.count));
    SetTotals(EstimateInNodes(spread));
    return traffic_;
  }

 private:
  int64_t RankOf(int64_t node, int64_t i) const {
    return nodes_.cyclic ? node + i * nodes_.count : node * nodes_.ppn + i;
  }

  void Look(int64_t node, int64_t rank) {
    peers_.Clear();
    exchange_.Sends(rank, &peers_);
    const ByLevel sends = peers_in_node_.Divide(node, peers_);
    peers_.Clear();
    exchange_.Receives(rank, &peers_);
    const ByLevel receives = peers_in_node_.Divide(node, peers_);
    const OneWay all_sends = sends.any();
    const OneWay all_receives = receives.any();
    Widen(sends.node, receives.node, &traffic_.node);
    Widen(sends.network, receives.network, &traffic_.network);
    Widen(all_sends, all_receives, &traffic_.any);
    if (all_sends.messages > 0 && all_receives.messages > 0) traffic_.disjoint = false;
    sums_.ranks += 1;
    Add(sends.node, &sums_.node_sends);
    Add(receives.node, &sums_.node_receives);
    sums_.network_out_blocks += sends.network.blocks;
    sums_.network_in_blocks += receives.network.blocks;
  }

  void WidenNode(double out_blocks, double in_blocks) {
    LevelTraffic& network = traffic_.network;
    network.node_out_bytes = std::max(network.node_out_bytes, out_blocks);
    network.node_in_bytes = std::max(network.node_in_bytes, in_blocks);
  }

  bool IsNotable(int64_t rank) const {
    return std::find(notable_.begin(), notable_.end(), rank) != notable_.end();
  }

  // Counts the notable ranks of a node, and scales a sample of its other ranks.
  void SampleNode(int64_t node) {
    const int64_t size = nodes_.SizeOf(node);
    const int64_t looked_at = std::min(size, kSampledRanksOfNode);
    const Sums before = sums_;
    for (int64_t i = 0; i < looked_at; ++i) {
      const int64_t rank = RankOf(node, i * size / looked_at);
      if (!IsNotable(rank)) Look(node, rank);
    }
    const Sums others = sums_;
    double notable_ranks = 0;
    RankList done;
    for (int64_t rank : notable_) {
      const bool again = std::find(done.begin(), done.end(), rank) != done.end();
      if (again || nodes_.Of(rank) != node) continue;
      done.Add(rank);
      notable_ranks += 1;
      Look(node, rank);
    }
    const double other_ranks = others.ranks - before.ranks;
    const double scale =
        other_ranks > 0 ? (static_cast<double>(size) - notable_ranks) / other_ranks : 0;
    WidenNode((others.network_out_blocks - before.network_out_blocks) * scale +
                  sums_.network_out_blocks - others.network_out_blocks,
              (others.network_in_blocks - before.network_in_blocks) * scale +
                  sums_.network_in_blocks - others.network_in_blocks);
  }

  // The messages within nodes, scaled up from these ranks. If few ranks send everything, the
  // receivers give a better estimate.
  OneWay EstimateInNodes(const Sums& spread) const {
    const bool ask_receivers = traffic_.any.sends_count > traffic_.any.receives_count;
    const OneWay& some = ask_receivers ? spread.node_receives : spread.node_sends;
    const double scale = static_cast<double>(nodes_.ranks) / spread.ranks;
    return {some.messages * scale, some.blocks * scale};
  }

  // A total is at least the part of the busiest rank.
  static double Within(double part, double total, double least, double least_of_rest) {
    return std::max(least, std::min(part, total - least_of_rest));
  }

  void SetTotals(const OneWay& in_nodes) {
    const Exchange::Totals totals = exchange_.totals();
    LevelTraffic& node = traffic_.node;
    LevelTraffic& network = traffic_.network;
    node.messages_count =
        Within(in_nodes.messages, totals.messages, std::max(node.sends_count, node.receives_count),
               std::max(network.sends_count, network.receives_count));
    node.volume_bytes =
        Within(in_nodes.blocks, totals.blocks, std::max(node.out_bytes, node.in_bytes),
               std::max(network.out_bytes, network.in_bytes));
    network.messages_count = totals.messages - node.messages_count;
    network.volume_bytes = totals.blocks - node.volume_bytes;
    node.pairs_count = node.messages_count;
    network.pairs_count = network.messages_count;
  }

  const Exchange& exchange_;
  Nodes nodes_;
  NodePeers peers_in_node_;
  Peers peers_;
  RankList notable_;
  Traffic traffic_;
  Sums sums_;
};

void Scale(double by, RankTraffic* rank) {
  rank->out_bytes *= by;
  rank->in_bytes *= by;
  rank->max_message_bytes *= by;
}

void Scale(double by, LevelTraffic* level) {
  Scale(by, static_cast<RankTraffic*>(level));
  level->volume_bytes *= by;
  level->node_out_bytes *= by;
  level->node_in_bytes *= by;
}

struct Known {
  ExchangeId id{};
  int64_t ranks = 0;
  int64_t ppn = 0;
  int64_t root = 0;
  Placement placement = Placement::kBlock;
  Traffic unit;

  bool IsOf(const ExchangeId& other, const Scenario& scenario) const {
    return id.algorithm == other.algorithm && id.phase == other.phase && id.knob == other.knob &&
           ranks == scenario.ranks && ppn == scenario.ppn && root == scenario.root &&
           placement == scenario.placement;
  }
};

// A thread remembers two exchanges per place. Algorithms of one collective may share a place, and
// are then asked about in turns.
constexpr size_t kPlaces = 256;
struct Place {
  Known newer;
  Known older;
};
size_t PlaceOf(const ExchangeId& id, const Scenario& scenario) {
  uint64_t hash = reinterpret_cast<uintptr_t>(id.algorithm);
  for (int64_t part : {id.knob, scenario.ranks, scenario.ppn, scenario.root,
                       static_cast<int64_t>(scenario.placement)}) {
    hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  // The phases of one schedule have different places.
  return (hash + static_cast<uint64_t>(id.phase)) % kPlaces;
}

}  // namespace

Traffic UnitTraffic(const Exchange& exchange, const Scenario& scenario, int64_t counted_ranks) {
  if (exchange.totals().messages == 0) return {};
  Scan scan(exchange, scenario);
  const int64_t nodes = Nodes(scenario).count;
  if (nodes == 1 || nodes == scenario.ranks) return scan.OfOneLevel();
  const int64_t unlike = scan.UnlikeNodes();
  const int64_t unlike_ranks = unlike == nodes ? scenario.ranks : scenario.ranks / nodes * unlike;
  return unlike_ranks <= counted_ranks ? scan.Counted(unlike) : scan.Sample();
}

Traffic TrafficOf(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario) {
  return TrafficOf(exchange, id, scenario, static_cast<double>(scenario.block_bytes));
}

Traffic TrafficOf(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                  double block_bytes) {
  thread_local std::array<Place, kPlaces> remembered;
  Place& place = remembered[PlaceOf(id, scenario)];
  const bool is_older = place.older.IsOf(id, scenario);
  if (!is_older && !place.newer.IsOf(id, scenario)) {
    place.older = place.newer;
    place.newer = {id,
                   scenario.ranks,
                   scenario.ppn,
                   scenario.root,
                   scenario.placement,
                   UnitTraffic(exchange, scenario, kCountedRanks)};
  }
  Traffic traffic = is_older ? place.older.unit : place.newer.unit;
  Scale(block_bytes, &traffic.node);
  Scale(block_bytes, &traffic.network);
  Scale(block_bytes, &traffic.any);
  return traffic;
}

}  // namespace cox::strategy
