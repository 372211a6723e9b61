#include "strategy/algorithms/rooted/segmented_tree.h"

#include <algorithm>
#include <bit>

#include "strategy/algorithms/rooted/segments.h"
#include "strategy/traffic/reversed_traffic.h"

namespace cox::strategy {
namespace {

constexpr char kBinary = 0;  // their addresses are their names
constexpr char kInOrder = 0;

// A binary tree has 2^L - 1 ranks before level L.
int64_t LevelOf(int64_t v) { return std::bit_width(static_cast<uint64_t>(v) + 1) - 1; }

}  // namespace

void BinaryTree::Sends(int64_t rank, Peers* out) const {
  const int64_t v = FromRoot(rank);
  const int64_t distance = int64_t{1} << LevelOf(v);
  for (int64_t child : {v + distance, v + 2 * distance}) {
    if (child < ranks_) out->AddOne(RankOf(child), 1);
  }
}

void BinaryTree::Receives(int64_t rank, Peers* out) const {
  const int64_t v = FromRoot(rank);
  if (v == 0) return;
  const int64_t above = int64_t{1} << (LevelOf(v) - 1);
  const bool is_first_child = v < 3 * above - 1;
  out->AddOne(RankOf(is_first_child ? v - above : v - 2 * above), 1);
}

Exchange::Totals BinaryTree::totals() const {
  const auto edges = static_cast<double>(ranks_ - 1);
  return {edges, edges};
}

void BinaryTree::Notable(RankList* out) const {
  for (int64_t v : {int64_t{0}, int64_t{1}, ranks_ - 1}) out->Add(RankOf(v % ranks_));
}

int64_t BinaryTree::DepthOf(int64_t rank) const { return LevelOf(FromRoot(rank)); }
int64_t BinaryTree::height() const { return LevelOf(ranks_ - 1); }
ExchangeId BinaryTree::id() const { return {&kBinary, 0}; }

// The place of a rank: the root of `size` consecutive ranks that end with it.
struct InOrderBinaryTree::Place {
  int64_t size;
  int64_t parent;  // -1 for the root of all
  int64_t depth;
};

InOrderBinaryTree::Place InOrderBinaryTree::Find(int64_t rank) const {
  int64_t begin = 0;
  Place place{ranks_, -1, 0};
  for (int64_t at = ranks_ - 1; at != rank;) {
    const int64_t first_half = place.size / 2;
    place.parent = at;
    ++place.depth;
    if (rank < begin + first_half) {
      place.size = first_half;
    } else {
      begin += first_half;
      place.size -= first_half + 1;
    }
    at = begin + place.size - 1;
  }
  return place;
}

void InOrderBinaryTree::Sends(int64_t rank, Peers* out) const {
  const int64_t size = Find(rank).size;
  if (size > 1) out->AddOne(rank - size + size / 2, 1);  // the last of the first part
  if (size > 2) out->AddOne(rank - 1, 1);
}

void InOrderBinaryTree::Receives(int64_t rank, Peers* out) const {
  const int64_t parent = Find(rank).parent;
  if (parent >= 0) out->AddOne(parent, 1);
}

Exchange::Totals InOrderBinaryTree::totals() const {
  const auto edges = static_cast<double>(ranks_ - 1);
  return {edges, edges};
}

void InOrderBinaryTree::Notable(RankList* out) const {
  out->Add(ranks_ - 1);
  if (ranks_ > 1) out->Add(ranks_ / 2 - 1);
}

int64_t InOrderBinaryTree::DepthOf(int64_t rank) const { return Find(rank).depth; }
int64_t InOrderBinaryTree::height() const {
  return std::bit_width(static_cast<uint64_t>(ranks_)) - 1;
}
ExchangeId InOrderBinaryTree::id() const { return {&kInOrder, 0}; }

void AddTree(const Tree& tree, Direction direction, const Scenario& scenario,
             const TreeMessage& message, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Segments segments(scenario, message.bytes, message.segment_bytes);
  const auto height = static_cast<double>(tree.height());
  const double stages = height - 1 + segments.count;
  // All edges at once: in its busiest stage a rank communicates with all its children.
  model::Traffic traffic = TrafficOf(tree, tree.id(), scenario, 1);
  for (model::RankTraffic* rank :
       {static_cast<model::RankTraffic*>(&traffic.node),
        static_cast<model::RankTraffic*>(&traffic.network), &traffic.any}) {
    rank->out_bytes *= segments.bytes;
    rank->in_bytes *= segments.bytes;
    rank->max_message_bytes *= segments.bytes;
  }
  for (model::LevelTraffic* level : {&traffic.node, &traffic.network}) {
    level->pairs_count *= segments.count / stages;
    level->messages_count *= segments.count / stages;
    level->volume_bytes *= segments.message_bytes / stages;
    level->node_out_bytes *= segments.message_bytes / stages;
    level->node_in_bytes *= segments.message_bytes / stages;
  }
  // A rank passes on a segment in the stage in which it receives the next one.
  traffic.disjoint = segments.count == 1 || tree.height() == 1;
  model::Phase& phase = schedule->Add();
  phase.times = stages;
  phase.repetitions = model::Repetitions::kPipelined;
  phase.traffic = direction == Direction::kFromRoot ? traffic : Reversed(traffic);
  if (direction == Direction::kToRoot) phase.work.reduced_bytes = traffic.any.out_bytes;
}

void EnumerateTree(const Tree& tree, Direction direction, const Scenario& scenario,
                   const TreeMessage& message, MessageSink sink) {
  if (scenario.ranks == 1) return;
  const Segments segments(scenario, message.bytes, message.segment_bytes);
  const auto count = static_cast<int64_t>(segments.count);
  const bool down = direction == Direction::kFromRoot;
  for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
    Peers parent;
    tree.Receives(rank, &parent);
    for (const PeerRun& run : parent) {
      const int64_t depth = tree.DepthOf(rank) - 1;
      const int64_t first_stage = down ? depth : tree.height() - 1 - depth;
      for (int64_t i = 0; i < count; ++i) {
        sink({0, first_stage + i, down ? run.first : rank, down ? rank : run.first,
              segments.BytesOf(i)});
      }
    }
  }
}

}  // namespace cox::strategy
