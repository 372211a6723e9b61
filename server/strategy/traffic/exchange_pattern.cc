#include <algorithm>
#include <array>

#include "strategy/traffic/residues.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

// Pairs (v, v + d) with v mod 2 d < d. d: a power of two.
struct Pairing {
  explicit Pairing(int64_t distance) : distance(distance) {}

  // Lower partners among v in [0, end).
  int64_t Lower(int64_t end) const {
    return (end & ~(2 * distance - 1)) / 2 + std::min(end & (2 * distance - 1), distance);
  }
  int64_t LowerIn(int64_t from, int64_t to) const {
    return from < to ? Lower(to) - Lower(from) : 0;
  }
  // Pairs with both partners in [from, to).
  int64_t Within(int64_t from, int64_t to) const { return LowerIn(from, to - distance); }
  // Lower partners before `border` whose upper partners are at or beyond it: one interval.
  std::array<int64_t, 2> Astride(int64_t border) const {
    const int64_t rest = border & (2 * distance - 1);
    if (rest <= distance) return {border - rest, border};
    return {border - distance, border - rest + distance};
  }

  int64_t distance;
};

// Of the intervals of v that are nodes: the pairs within, and the most ranks with a partner
// outside.
struct Kept {
  int64_t pairs = 0;
  int64_t busiest = 0;

  void AddNode(const Pairing& pairing, int64_t from, int64_t to) {
    Add(pairing.Within(from, to), to - from);
  }
  void Add(int64_t pairs_within, int64_t size) {
    pairs += pairs_within;
    busiest = std::max(busiest, size - 2 * pairs_within);
  }
  // Adds `intervals` intervals of `size`, from `begin` on, `stride` apart. An interval's pairs
  // depend only on its place modulo 2 d, and all places that occur do so equally often in each
  // period. Counts the intervals beyond whole periods: fewer than 2 size.
  void AddNodes(const Pairing& pairing, int64_t begin, int64_t size, int64_t stride,
                int64_t intervals) {
    if (intervals <= 0) return;
    if (size <= pairing.distance) {
      busiest = std::max(busiest, size);
      return;
    }
    const int64_t cycle = 2 * pairing.distance;
    const int64_t common = std::min(stride & -stride, cycle);  // powers of two
    const int64_t period = cycle / common;
    const auto within_at = [&](int64_t from) { return pairing.Within(from, from + size); };
    int64_t rest = intervals;
    if (intervals >= period) {
      rest = intervals & (period - 1);
      const int64_t periods = (intervals - rest) / period;
      // An interval has fewest pairs if it begins with the upper partners: the places next to
      // that. Of a period's possible lower partners, (size - d) per interval, half are such.
      const int64_t place = begin & (common - 1);
      const int64_t least = period == 1 ? within_at(place)
                                        : std::min(within_at(pairing.distance + place),
                                                   within_at(pairing.distance + place - common));
      busiest = std::max(busiest, size - 2 * least);
      pairs += periods * (period == 1 ? least : (size - pairing.distance) * (period / 2));
    }
    for (int64_t i = 0; i < rest; ++i) {
      Add(within_at((begin + i * stride) & (cycle - 1)), size);
    }
  }

  Crossing Of(int64_t active) const {
    return {static_cast<double>(2 * pairs), static_cast<double>(active - 2 * pairs),
            static_cast<double>(busiest), static_cast<double>(busiest)};
  }
};

Crossing BlockRotated(const RotatedNodes& at, const Pairing& pairing) {
  if (pairing.distance >= at.ppn && at.tail == 0) {
    const auto ranks = static_cast<double>(at.ranks);  // every message spans more than a node
    const auto busiest = static_cast<double>(at.ppn);
    return {0, ranks, busiest, busiest};
  }
  const int64_t tail_begin = at.ranks - at.tail;
  Kept kept;
  kept.Add(pairing.Within(0, at.head) + pairing.Within(tail_begin, at.ranks) +
               pairing.LowerIn(std::max<int64_t>(0, tail_begin - pairing.distance), at.head),
           at.head + at.tail);
  kept.AddNodes(pairing, at.head, at.ppn, at.ppn, at.before_last);
  if (at.has_last) {
    kept.AddNode(pairing, at.last_begin(), at.last_begin() + at.last_size);
  }
  kept.AddNodes(pairing, at.after_begin(), at.ppn, at.ppn, at.after_last);
  return kept.Of(at.ranks);
}

// Pairs astride rank p - 1 are p - d apart in rank, the others d.
Crossing CyclicRotated(const Nodes& nodes, int64_t root, const Pairing& pairing) {
  const int64_t p = nodes.ranks;
  const auto [from, to] = pairing.Astride(p - root);
  const int64_t home = to - from;
  const bool stays = pairing.distance % nodes.count == 0;
  const bool home_stays = (p - pairing.distance) % nodes.count == 0;
  const int64_t staying = 2 * ((stays ? p / 2 - home : 0) + (home_stays ? home : 0));
  const auto crossing = static_cast<double>(p - staying);
  if (stays) {
    // d is then a multiple of N, and so is p: nothing crosses.
    return {static_cast<double>(staying), crossing, 0, 0};
  }
  const int64_t home_rank = from + root;
  int64_t busiest = 0;
  for (int64_t begin : {int64_t{0}, p, home_rank, home_rank + home}) {
    const int64_t node = begin % nodes.count;
    const int64_t at_home = home_stays ? CountAt(node, {home_rank, home}, 1, nodes.count) : 0;
    busiest = std::max(busiest, nodes.SizeOf(node) - 2 * at_home);
  }
  return {static_cast<double>(staying), crossing, static_cast<double>(busiest),
          static_cast<double>(busiest)};
}

// The v of the first active rank at or after `rank`: how many active ranks are before it.
int64_t FirstAt(const Fold& fold, int64_t rank) {
  if (rank > 2 * fold.folded) return rank - fold.folded;
  return (rank + 1 - fold.offset) / 2;
}

Crossing BlockFolded(const Nodes& nodes, const Fold& fold, const Pairing& pairing) {
  const int64_t n = nodes.ppn;
  const int64_t border = 2 * fold.folded;
  const int64_t thinned = border / n;          // nodes with every second rank active
  const int64_t whole = (border + n - 1) / n;  // the first with every rank active
  const auto add_node = [&](Kept* kept, int64_t node) {
    const int64_t end = std::min((node + 1) * n, nodes.ranks);
    kept->AddNode(pairing, FirstAt(fold, node * n), FirstAt(fold, end));
  };
  Kept kept;
  // Half of an odd number of consecutive ranks is one more on every second node.
  const int64_t first = FirstAt(fold, n);
  if (n % 2 == 0) {
    kept.AddNodes(pairing, 0, first, first, thinned);
  } else {
    kept.AddNodes(pairing, 0, first, n, (thinned + 1) / 2);
    kept.AddNodes(pairing, first, n - first, n, thinned / 2);
  }
  if (thinned < whole) add_node(&kept, thinned);
  kept.AddNodes(pairing, whole * n - fold.folded, n, n, nodes.count - 1 - whole);
  if (whole < nodes.count) add_node(&kept, nodes.count - 1);
  return kept.Of(fold.active);
}

// Cyclic placement of the active ranks: 2 v + offset for v < folded ("thinned"), then all. Pairs of
// thinned ranks are 2 d apart in rank, pairs of the others d. Pairs across the border stay in a
// node only for one remainder of v, all in the same node.
class CyclicFold {
 public:
  CyclicFold(const Nodes& nodes, const Fold& fold, const Pairing& pairing)
      : count_(nodes.count), fold_(fold) {
    const int64_t d = pairing.distance;
    const auto [from, to] = pairing.Astride(fold.folded);
    astride_ = {from, to - from};
    const int64_t thinned_pairs = pairing.LowerIn(0, fold.folded - d);
    const int64_t other_pairs = fold.active / 2 - thinned_pairs - astride_.terms;
    const bool thinned_stay = 2 * d % count_ == 0;
    const bool others_stay = d % count_ == 0;
    const int64_t staying_v = Mod(d + fold.folded - fold.offset, count_);
    staying_astride_ = CountAt(staying_v, astride_, 1, count_);
    home_ = (2 * staying_v + fold.offset) % count_;
    staying_pairs_ =
        (thinned_stay ? thinned_pairs : 0) + (others_stay ? other_pairs : 0) + staying_astride_;
    // Ranks whose partner may be on another node.
    thinned_ =
        thinned_stay ? Run{2 * from + fold.offset, astride_.terms} : Run{fold.offset, fold.folded};
    others_ = others_stay ? Run{from + d + fold.folded, astride_.terms}
                          : Run{2 * fold.folded, nodes.ranks - 2 * fold.folded};
  }

  Crossing Of() const {
    const int64_t busiest = Busiest();
    return {static_cast<double>(2 * staying_pairs_),
            static_cast<double>(fold_.active - 2 * staying_pairs_), static_cast<double>(busiest),
            static_cast<double>(busiest)};
  }

 private:
  int64_t LeavingAt(int64_t node) const {
    return CountAt(node, thinned_, 2, count_) + CountAt(node, others_, 1, count_) -
           (node == home_ ? 2 * staying_astride_ : 0);
  }

  // Among nodes of equal parity the number changes only where a run begins or ends, and at one
  // node.
  int64_t Busiest() const {
    int64_t busiest = 0;
    for (int64_t change : {int64_t{0}, thinned_.first, thinned_.first + 2 * thinned_.terms,
                           others_.first, others_.first + others_.terms, home_ + 1}) {
      for (int64_t node : {change, change + 1}) {
        busiest = std::max(busiest, LeavingAt(node % count_));
      }
    }
    return busiest;
  }

  int64_t count_;
  Fold fold_;
  Run astride_{};  // v of the lower partners of pairs across the border
  Run thinned_{};  // ranks, two apart
  Run others_{};   // ranks, one apart
  int64_t staying_pairs_ = 0;
  int64_t staying_astride_ = 0;
  int64_t home_ = 0;  // their node
};

}  // namespace

int64_t PairedMessages(int64_t ranks, int64_t distance) {
  const int64_t last = ranks & (2 * distance - 1);
  return ranks - last + 2 * std::max<int64_t>(last - distance, 0);
}

int64_t AllPairedMessages(int64_t ranks) {
  int64_t messages = 0;
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    messages += PairedMessages(ranks, distance);
  }
  return messages;
}

Fold::Fold(int64_t ranks, Takes takes) : active(1), offset(takes == Takes::kOdd ? 1 : 0) {
  while (active <= ranks / 2) active *= 2;
  folded = ranks - active;
}

Crossing RotatedExchange(const Rooted& at, int64_t distance) {
  if (at.nodes.count == 1) return {static_cast<double>(at.nodes.ranks), 0, 0, 0};
  const Pairing pairing(distance);
  return at.nodes.cyclic ? CyclicRotated(at.nodes, at.root, pairing)
                         : BlockRotated(at.block, pairing);
}

bool AllExchangesAlike(const Rooted& at, const Fold& fold, int64_t distance) {
  const Nodes& nodes = at.nodes;
  return !nodes.cyclic && nodes.count > 1 && distance >= nodes.ppn &&
         2 * fold.folded + 2 * nodes.ppn <= nodes.ranks;
}

Crossing FoldedExchange(const Rooted& at, const Fold& fold, int64_t distance) {
  if (fold.folded == 0) return RotatedExchange(at, distance);
  if (AllExchangesAlike(at, fold, distance)) {
    const auto busiest = static_cast<double>(at.nodes.ppn);
    return {0, static_cast<double>(fold.active), busiest, busiest};
  }
  if (at.nodes.count == 1) return {static_cast<double>(fold.active), 0, 0, 0};
  const Pairing pairing(distance);
  if (at.nodes.cyclic) return CyclicFold(at.nodes, fold, pairing).Of();
  return BlockFolded(at.nodes, fold, pairing);
}

}  // namespace cox::strategy
