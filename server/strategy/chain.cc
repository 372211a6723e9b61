#include "strategy/chain.h"

#include <algorithm>
#include <array>

#include "strategy/nodes.h"

namespace cox::strategy {
namespace {

// A segment holds whole elements, rounded to the nearest, as Open MPI does.
int64_t SegmentBytes(const Scenario& scenario, int64_t wanted_bytes) {
  const int64_t element = scenario.type_bytes;
  if (wanted_bytes < element || wanted_bytes >= scenario.block_bytes) return scenario.block_bytes;
  const int64_t rest = wanted_bytes % element;
  return (wanted_bytes / element + (rest > element / 2 ? 1 : 0)) * element;
}

// What a stage moves at most, and how many stages there are.
struct Pipeline {
  Pipeline(const Scenario& scenario, int64_t wanted_bytes)
      : segment_bytes(std::min(SegmentBytes(scenario, wanted_bytes), scenario.block_bytes)),
        segments(segment_bytes == 0 ? 1 : (scenario.block_bytes - 1) / segment_bytes + 1) {}

  int64_t segment_bytes;
  int64_t segments;
};

// The chains, in ranks counted from the root (v): 1, 2, ... p - 1 cut into consecutive runs, the
// longer ones first.
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
  int64_t longer;  // that many chains have one more
};

// Links between ranks that cross nodes. All ring links (every rank to the next one) would be
// N-periodic; chains leave out the ones into the second and further heads and into the root, and
// have links from the root to those heads instead. So only nodes of these ranks are unlike the
// others.
class Links {
 public:
  Links(const Scenario& scenario, const Chains& chains)
      : nodes_(scenario), chains_(chains), root_(scenario.root) {
    // The ring link from the last rank to rank 0, the only one of its kind under cyclic placement.
    has_home_seam_ = nodes_.Of(nodes_.ranks - 1) == nodes_.Of(0);
    crossing_ = nodes_.count == 1 ? 0 : (nodes_.cyclic ? nodes_.ranks : nodes_.count);
    if (nodes_.cyclic && nodes_.count > 1 && has_home_seam_) --crossing_;
    for (int64_t i = 1; i <= chains_.count; ++i) {
      const int64_t into = i == chains_.count ? 0 : chains_.Head(i);
      if (Crosses(RankOf(into - 1), RankOf(into))) --crossing_;
    }
    for (int64_t i = 0; i < chains_.count; ++i) {
      const bool crosses = Crosses(root_, RankOf(chains_.Head(i)));
      heads_crossing_ += crosses ? 1 : 0;
      if (i > 0 && crosses) ++crossing_;
    }
  }

  int64_t total() const { return nodes_.ranks - 1; }
  int64_t crossing() const { return crossing_; }
  int64_t heads_crossing() const { return heads_crossing_; }

  // Links that leave, or enter, the busiest node.
  int64_t BusiestOut() const { return Busiest(/*out=*/true); }
  int64_t BusiestIn() const { return Busiest(/*out=*/false); }

 private:
  int64_t RankOf(int64_t v) const { return (v + root_ + nodes_.ranks) % nodes_.ranks; }
  bool Crosses(int64_t a, int64_t b) const { return nodes_.Of(a) != nodes_.Of(b); }

  // Ring links that leave (as many enter) a node.
  int64_t RingLinks(int64_t node) const {
    if (!nodes_.cyclic) return 1;
    const bool has_seam = has_home_seam_ && node == nodes_.Of(0);
    return nodes_.SizeOf(node) - (has_seam ? 1 : 0);
  }

  int64_t LinksOf(int64_t node, bool out) const {
    int64_t links = RingLinks(node);
    for (int64_t i = 1; i <= chains_.count; ++i) {
      const int64_t into = i == chains_.count ? 0 : chains_.Head(i);
      const int64_t from = RankOf(into - 1);
      const int64_t to = RankOf(into);
      if (Crosses(from, to) && nodes_.Of(out ? from : to) == node) --links;
      if (i == chains_.count || !Crosses(root_, to)) continue;
      if (nodes_.Of(out ? root_ : to) == node) ++links;
    }
    return links;
  }

  int64_t Busiest(bool out) const {
    if (nodes_.count == 1) return 0;
    // Nodes that are unlike the others: of the root, of rank 0, and of the ends of links left out.
    std::array<int64_t, 2 * kMaxFanout + 2> special;
    size_t size = 0;
    const auto add = [&](int64_t rank) {
      const int64_t node = nodes_.Of(rank);
      const auto end = special.begin() + size;
      if (std::find(special.begin(), end, node) == end) special[size++] = node;
    };
    add(root_);
    add(0);
    for (int64_t i = 1; i <= chains_.count; ++i) {
      const int64_t into = i == chains_.count ? 0 : chains_.Head(i);
      add(RankOf(into - 1));
      add(RankOf(into));
    }
    int64_t busiest = 0;
    int64_t special_large = 0;
    for (size_t i = 0; i < size; ++i) {
      busiest = std::max(busiest, LinksOf(special[i], out));
      special_large += nodes_.SizeOf(special[i]) == nodes_.largest() ? 1 : 0;
    }
    if (static_cast<int64_t>(size) == nodes_.count) return busiest;
    const bool plain_large = special_large < nodes_.largest_count();
    const int64_t plain_size = plain_large ? nodes_.largest() : nodes_.smallest();
    return std::max<int64_t>(busiest, nodes_.cyclic ? plain_size : 1);
  }

  Nodes nodes_;
  Chains chains_;
  int64_t root_;
  bool has_home_seam_ = false;
  int64_t crossing_ = 0;
  int64_t heads_crossing_ = 0;
};

// One level: what the busiest rank does in its busiest stage, and the mean stage as a whole.
void SetLevel(int64_t heads, int64_t links, double segment_bytes, double message_bytes,
              const Pipeline& pipeline, double stages, model::LevelTraffic* level) {
  if (links == 0) return;
  const auto sends = static_cast<double>(std::max<int64_t>(heads, 1));
  level->sends_count = sends;
  level->receives_count = 1;
  level->out_bytes = sends * segment_bytes;
  level->in_bytes = level->max_message_bytes = segment_bytes;
  level->pairs_count = level->messages_count =
      static_cast<double>(links) * static_cast<double>(pipeline.segments) / stages;
  level->volume_bytes = static_cast<double>(links) * message_bytes / stages;
}

}  // namespace

void BuildChain(const Scenario& scenario, int64_t fanout, int64_t segment_bytes,
                model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Chains chains(scenario.ranks, fanout);
  const Pipeline pipeline(scenario, segment_bytes);
  const Links links(scenario, chains);
  const auto segment = static_cast<double>(pipeline.segment_bytes);
  const auto message = static_cast<double>(scenario.block_bytes);
  const double stages =
      static_cast<double>(chains.depth() - 1) + static_cast<double>(pipeline.segments);
  const auto heads = static_cast<double>(chains.count);

  model::Phase& phase = schedule->Add();
  phase.times = stages;
  phase.repetitions = model::Repetitions::kPipelined;
  model::Traffic& traffic = phase.traffic;
  SetLevel(chains.count - links.heads_crossing(), links.total() - links.crossing(), segment,
           message, pipeline, stages, &traffic.node);
  SetLevel(links.heads_crossing(), links.crossing(), segment, message, pipeline, stages,
           &traffic.network);
  traffic.any = {heads, 1, heads * segment, segment, segment};
  traffic.network.node_out_bytes = static_cast<double>(links.BusiestOut()) * message / stages;
  traffic.network.node_in_bytes = static_cast<double>(links.BusiestIn()) * message / stages;
}

void EnumerateChain(const Scenario& scenario, int64_t fanout, int64_t segment_bytes,
                    MessageSink sink) {
  if (scenario.ranks == 1) return;
  const Chains chains(scenario.ranks, fanout);
  const Pipeline pipeline(scenario, segment_bytes);
  for (int64_t chain = 0; chain < chains.count; ++chain) {
    for (int64_t v = chains.Head(chain); v < chains.Head(chain + 1); ++v) {
      const int64_t depth = v - chains.Head(chain);
      const int64_t parent = depth == 0 ? 0 : v - 1;
      for (int64_t segment = 0; segment < pipeline.segments; ++segment) {
        const int64_t rest = scenario.block_bytes - segment * pipeline.segment_bytes;
        sink({0, depth + segment, (parent + scenario.root) % scenario.ranks,
              (v + scenario.root) % scenario.ranks,
              static_cast<double>(std::min(pipeline.segment_bytes, rest))});
      }
    }
  }
}

}  // namespace cox::strategy
