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

// Counts the links that cross nodes. The ring links (every rank to the next) have a simple count.
// Chains lack the ring links into the root and into all heads but the first; instead the root has
// links to those heads. So only a few nodes differ from the ring.
class Links {
 public:
  Links(const Scenario& scenario, const Chains& chains)
      : nodes_(scenario), root_node_(nodes_.Of(scenario.root)), count_(chains.count) {
    const auto rank_of = [&](int64_t v) {
      const int64_t rank = v + scenario.root;
      return rank < 0 ? rank + nodes_.ranks : (rank < nodes_.ranks ? rank : rank - nodes_.ranks);
    };
    // Under cyclic placement only the ring link from the last rank to rank 0 can stay in a node.
    home_stays_ = nodes_.Of(nodes_.ranks - 1) == 0;
    total_ = nodes_.ranks - 1;
    crossing_ = nodes_.count == 1 ? 0 : (nodes_.cyclic ? nodes_.ranks : nodes_.count);
    if (nodes_.cyclic && nodes_.count > 1 && home_stays_) --crossing_;
    // Chains lack the links into v = 0 and into heads 1 .. count - 1.
    for (int64_t i = 0; i < count_; ++i) {
      const int64_t into = i == 0 ? 0 : chains.Head(i);
      Cut& cut = cuts_[static_cast<size_t>(i)];
      cut = {nodes_.Of(rank_of(into - 1)), nodes_.Of(rank_of(into))};
      if (cut.from != cut.to) --crossing_;
      if (i == 0 || cut.to == root_node_) continue;
      ++crossing_;
      ++heads_crossing_;
    }
    if (count_ > 0 && nodes_.Of(rank_of(1)) != root_node_) ++heads_crossing_;
  }

  int64_t total() const { return total_; }
  int64_t crossing() const { return crossing_; }
  int64_t heads_crossing() const { return heads_crossing_; }

  // Links that leave and that enter the busiest node of each kind.
  struct Busiest {
    int64_t out = 0;
    int64_t in = 0;
  };
  Busiest OfBusiestNodes() const {
    if (nodes_.count == 1) return {};
    // The nodes that differ from the others: those of the root, of rank 0, and at the ends of links
    // that chains lack.
    std::array<int64_t, 2 * kMaxFanout + 2> special;
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
      const Busiest here = Of(special[i]);
      busiest.out = std::max(busiest.out, here.out);
      busiest.in = std::max(busiest.in, here.in);
      special_large += nodes_.SizeOf(special[i]) == nodes_.largest() ? 1 : 0;
    }
    if (static_cast<int64_t>(size) == nodes_.count) return busiest;
    const bool plain_large = special_large < nodes_.largest_count();
    const int64_t plain_size = plain_large ? nodes_.largest() : nodes_.smallest();
    const int64_t plain = nodes_.cyclic ? plain_size : 1;
    return {std::max(busiest.out, plain), std::max(busiest.in, plain)};
  }

 private:
  // The nodes at both ends of a ring link that chains lack.
  struct Cut {
    int64_t from;
    int64_t to;
  };
  absl::Span<const Cut> cuts() const { return {cuts_.data(), static_cast<size_t>(count_)}; }

  Busiest Of(int64_t node) const {
    const bool has_home = home_stays_ && node == 0;
    const int64_t ring = nodes_.cyclic ? nodes_.SizeOf(node) - (has_home ? 1 : 0) : 1;
    Busiest links{ring, ring};
    for (const Cut& cut : cuts()) {
      if (cut.from == cut.to) continue;
      if (cut.from == node) --links.out;
      if (cut.to == node) --links.in;
    }
    for (const Cut& cut : cuts().subspan(1)) {
      if (cut.to == root_node_) continue;
      if (node == root_node_) ++links.out;
      if (node == cut.to) ++links.in;
    }
    return links;
  }

  Nodes nodes_;
  int64_t root_node_;
  int64_t count_;
  int64_t total_;
  int64_t crossing_;
  int64_t heads_crossing_ = 0;
  bool home_stays_;
  std::array<Cut, kMaxFanout> cuts_;
};

// One level: the busiest rank in its busiest stage, and the mean over the stages of all ranks.
void SetLevel(int64_t heads, int64_t links, const Segments& segments, double stages,
              model::LevelTraffic* level) {
  if (links == 0) return;
  const auto sends = static_cast<double>(std::max<int64_t>(heads, 1));
  level->sends_count = sends;
  level->receives_count = 1;
  level->out_bytes = sends * segments.bytes;
  level->in_bytes = level->max_message_bytes = segments.bytes;
  level->pairs_count = level->messages_count = static_cast<double>(links) * segments.count / stages;
  level->volume_bytes = static_cast<double>(links) * segments.message_bytes / stages;
}

}  // namespace

int64_t FanoutOf(const Knobs& knobs) { return knobs.fanout == 0 ? 4 : knobs.fanout; }

absl::Status ChainApplies(const Scenario&, const Knobs& knobs) {
  if (knobs.fanout <= kMaxFanout) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("takes a fanout of at most ", kMaxFanout, ", not ", knobs.fanout));
}

void BuildChain(Direction direction, const Scenario& scenario, int64_t fanout,
                int64_t segment_bytes, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Chains chains(scenario.ranks, fanout);
  const Segments segments(scenario, static_cast<double>(scenario.block_bytes), segment_bytes);
  const Links links(scenario, chains);
  const double depth_above_last = static_cast<double>(chains.depth() - 1);
  const double stages = depth_above_last + segments.count;
  const auto heads = static_cast<double>(chains.count);

  model::Phase& phase = schedule->Add();
  phase.times = stages;
  phase.repetitions = model::Repetitions::kPipelined;
  model::Traffic traffic;
  SetLevel(chains.count - links.heads_crossing(), links.total() - links.crossing(), segments,
           stages, &traffic.node);
  SetLevel(links.heads_crossing(), links.crossing(), segments, stages, &traffic.network);
  traffic.any = {heads, 1, heads * segments.bytes, segments.bytes, segments.bytes};
  // A rank passes on a segment in the stage in which it gets the next one.
  traffic.disjoint = segments.count == 1 || chains.depth() == 1;
  const Links::Busiest busiest = links.OfBusiestNodes();
  traffic.network.node_out_bytes =
      static_cast<double>(busiest.out) * segments.message_bytes / stages;
  traffic.network.node_in_bytes = static_cast<double>(busiest.in) * segments.message_bytes / stages;
  if (direction == Direction::kFromRoot) {
    phase.traffic = traffic;
    return;
  }
  phase.traffic = Reversed(traffic);
  // Each rank on the way combines the first segment with its own. Then the root combines all
  // segments of all chains.
  phase.work.reduced_bytes = (depth_above_last + heads * segments.count) * segments.bytes / stages;
}

void EnumerateChain(Direction direction, const Scenario& scenario, int64_t fanout,
                    int64_t segment_bytes, MessageSink sink) {
  if (scenario.ranks == 1) return;
  const Chains chains(scenario.ranks, fanout);
  const Segments segments(scenario, static_cast<double>(scenario.block_bytes), segment_bytes);
  const bool down = direction == Direction::kFromRoot;
  const auto count = static_cast<int64_t>(segments.count);
  for (int64_t chain = 0; chain < chains.count; ++chain) {
    for (int64_t v = chains.Head(chain); v < chains.Head(chain + 1); ++v) {
      const int64_t depth = v - chains.Head(chain);
      const int64_t child = (v + scenario.root) % scenario.ranks;
      const int64_t parent = ((depth == 0 ? 0 : v - 1) + scenario.root) % scenario.ranks;
      const int64_t first_stage = down ? depth : chains.depth() - 1 - depth;
      for (int64_t i = 0; i < count; ++i) {
        sink({0, first_stage + i, down ? parent : child, down ? child : parent,
              segments.BytesOf(i)});
      }
    }
  }
}

}  // namespace cox::strategy
