#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "strategy/traffic/residues.h"
#include "strategy/traffic/step_patterns.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

// The current step: v = 0, 2 d, 4 d, ... (`senders` of them) send to v + d.
struct Step {
  Step(int64_t ranks, int64_t distance)
      : distance(distance),
        senders((ranks + distance - 1) >> (std::countr_zero(static_cast<uint64_t>(distance)) + 1)),
        shift_(std::countr_zero(static_cast<uint64_t>(distance)) + 1) {}

  // Senders among the v of [from, to).
  int64_t SendersIn(int64_t from, int64_t to) const {
    from = std::max<int64_t>(from, 0);
    to = std::max(from, to);
    return std::min(Multiples(to), senders) - std::min(Multiples(from), senders);
  }

  int64_t distance;
  int64_t senders;

 private:
  // Multiples of 2 d in [0, v).
  int64_t Multiples(int64_t v) const { return (v + 2 * distance - 1) >> shift_; }

  int shift_;
};

// Multiples of 2^exponent among 0 .. end - 1: the parts of a tree that steps from that distance on
// join, each by one message but the first.
int64_t MultiplesBelow(int64_t end, int exponent) {
  return (end + (int64_t{1} << exponent) - 1) >> exponent;
}

// Whether all nodes begin at a multiple of ppn, counted from the root.
bool BeginsAtMultiples(const Rooted& at) {
  return !at.nodes.cyclic && at.block.tail == 0 && at.block.after_last == 0;
}

// The most borders that are worth counting one by one.
constexpr int64_t kMostCounted = 64;
constexpr int64_t kTooManyBorders = -1;

// Messages across the borders of nodes at n, 2 n, ... (`borders` of them) for a distance < n. None
// crosses two borders. kTooManyBorders: too many to count.
//
// A message crosses the border b if 0 < b mod 2 d <= d. Without the factor that n and 2 d share,
// all remainders occur equally often in each period of borders.
int64_t AcrossBorders(const Step& step, int64_t n, int64_t borders, int64_t ranks) {
  const int64_t d = step.distance;
  const int shared = topology::ExponentOf(n);
  const int64_t period = (2 * d) >> shared;
  if (period <= 1) return 0;
  const int64_t odd = n >> shared;
  const int64_t rest = borders & (period - 1);
  if (rest > kMostCounted) return kTooManyBorders;
  int64_t across = (borders - rest) / 2;
  int64_t remainder = 0;
  for (int64_t i = 0; i < rest; ++i) {
    remainder = (remainder + odd) & (period - 1);
    across += remainder > 0 && remainder <= period / 2 ? 1 : 0;
  }
  // The receiver beyond the last border may not exist.
  const int64_t last = borders * n;
  const int64_t before = last & (2 * d - 1);
  if (before > 0 && before <= d && last - before + d >= ranks) --across;
  return across;
}

// Messages within the root's node, in one of its two pieces or between them.
int64_t StayingAtRoot(const RotatedNodes& at, const Step& step) {
  const int64_t d = step.distance;
  const int64_t tail_begin = at.ranks - at.tail;
  return step.SendersIn(0, at.head - d) + step.SendersIn(tail_begin, at.ranks - d) +
         step.SendersIn(tail_begin - d, std::min(at.head, at.ranks - d));
}

// Senders of `intervals` nodes of ppn ranks, from v = begin on, whose child is on the same node.
int64_t StayingInFull(const RotatedNodes& at, const Step& step, int64_t begin, int64_t intervals) {
  const int64_t d = step.distance;
  if (intervals <= 0 || at.ppn <= d) return 0;
  // If all nodes begin at the same place modulo 2 d, one node represents all.
  if ((at.ppn & (2 * d - 1)) == 0) return intervals * step.SendersIn(begin, begin + at.ppn - d);
  return FloorSum(intervals, begin + at.ppn + d - 1, at.ppn, 2 * d) -
         FloorSum(intervals, begin + 2 * d - 1, at.ppn, 2 * d);
}

// A node has at most one message out and one in: the spans [v, v + d] of messages do not overlap,
// so a node's border cuts at most one.
Crossing BlockStep(const RotatedNodes& at, const Step& step) {
  if (step.distance >= at.ppn && at.tail == 0) {
    return {0, static_cast<double>(step.senders), 1, 1,
            true};  // every message spans more than a node
  }
  const bool has_borders = at.tail == 0 && at.after_last == 0 && step.distance < at.ppn;
  const int64_t across =
      has_borders ? AcrossBorders(step, at.ppn, at.count(), at.ranks) : kTooManyBorders;
  if (across != kTooManyBorders) {
    const double busiest = across > 0 ? 1 : 0;
    return {static_cast<double>(step.senders - across), static_cast<double>(across), busiest,
            busiest, true};
  }
  int64_t staying = StayingAtRoot(at, step) + StayingInFull(at, step, at.head, at.before_last) +
                    StayingInFull(at, step, at.after_begin(), at.after_last);
  if (at.has_last) {
    const int64_t begin = at.last_begin();
    staying += step.SendersIn(begin, begin + at.last_size - step.distance);
  }
  const int64_t crossing = step.senders - staying;
  const double busiest = crossing > 0 ? 1 : 0;
  return {static_cast<double>(staying), static_cast<double>(crossing), busiest, busiest, true};
}

// The crossing messages of a cyclic step, as runs of ranks 2 d apart: those before the message from
// rank p - 1 to rank 0 (`home`), that message, and those after it.
struct CyclicRuns {
  CyclicRuns(const Nodes& nodes, int64_t root, const Step& step) {
    const int64_t p = nodes.ranks;
    const int64_t d = step.distance;
    const int64_t before = step.SendersIn(0, p - d - root);
    const int64_t until_home = step.SendersIn(0, p - root);
    const int64_t home = until_home - before;
    const int64_t after = step.senders - until_home;
    const bool stays = d % nodes.count == 0;
    const bool home_stays = (p - d) % nodes.count == 0;
    staying = (stays ? before + after : 0) + (home_stays ? home : 0);
    const int64_t home_sender = root + before * 2 * d;
    senders = {Run{root, stays ? 0 : before}, Run{home_sender, home_stays ? 0 : home},
               Run{root + until_home * 2 * d - p, stays ? 0 : after}};
    receivers = senders;
    for (Run& run : receivers) run.first += d;
    receivers[1].first -= p;
  }

  int64_t staying;
  std::array<Run, 3> senders;
  std::array<Run, 3> receivers;
};

Crossing CyclicStep(const Nodes& nodes, int64_t root, const Step& step) {
  const CyclicRuns runs(nodes, root, step);
  return {static_cast<double>(runs.staying), static_cast<double>(step.senders - runs.staying),
          static_cast<double>(MostAtOne(runs.senders, 2 * step.distance, nodes.count)),
          static_cast<double>(MostAtOne(runs.receivers, 2 * step.distance, nodes.count)), true};
}

// The bytes of the busiest node if one message, at `residue`, is `missing_bytes` shorter than the
// others.
double BusiestBytes(std::array<Run, 3> runs, size_t short_run, int64_t step, int64_t modulus,
                    double full_bytes, double missing_bytes) {
  Run& run = runs[short_run];
  const int64_t residue = Mod(run.first + (run.terms - 1) * step, modulus);
  int64_t there = 0;
  for (const Run& each : runs) there += CountAt(residue, each, step, modulus);
  --run.terms;  // elsewhere all have the full size
  const int64_t elsewhere = MostAtOne(runs, step, modulus);
  return std::max(static_cast<double>(elsewhere) * full_bytes,
                  static_cast<double>(there) * full_bytes - missing_bytes);
}

// The last run with crossing messages holds the last of them.
size_t LastRun(const std::array<Run, 3>& runs) {
  size_t last = 2;
  while (last > 0 && runs[last].terms == 0) --last;
  return last;
}

}  // namespace

Crossing FarTreeStep(const Rooted& at, int64_t distance) {
  const Step step(at.nodes.ranks, distance);
  if (at.nodes.count == 1) return {static_cast<double>(step.senders), 0, 0, 0, true};
  return at.nodes.cyclic ? CyclicStep(at.nodes, at.root, step) : BlockStep(at.block, step);
}

StepRun ShortFarTreeSteps(const Rooted& at) {
  const int64_t ranks = at.nodes.ranks;
  int steps = 0;
  if (at.nodes.count == 1) {
    steps = topology::DoublingsTo(ranks);
  } else if (BeginsAtMultiples(at)) {
    steps = topology::ExponentOf(at.nodes.ppn);
  }
  StepRun run;
  if (steps == 0) return run;
  run.steps = steps;
  run.mean.node_messages = static_cast<double>(ranks - MultiplesBelow(ranks, steps)) / steps;
  run.mean.disjoint = true;
  return run;
}

StepRun LongFarTreeSteps(const Rooted& at, int64_t distance) {
  StepRun run;
  if (at.nodes.cyclic || at.nodes.count == 1 || distance >= at.nodes.ranks) return run;
  if (distance < at.block.ppn || at.block.tail != 0) return run;
  const int64_t parts = MultiplesBelow(at.nodes.ranks, topology::ExponentOf(distance));
  run.steps = topology::DoublingsTo(parts);
  run.mean = {0, static_cast<double>(parts - 1) / static_cast<double>(run.steps), 1, 1, true};
  return run;
}

StepLoad FarTreeScatterStep(const Rooted& at, int64_t distance, double chunk_bytes) {
  const Nodes& nodes = at.nodes;
  const Crossing crossing = FarTreeStep(at, distance);
  const double full_bytes = static_cast<double>(distance) * chunk_bytes;
  StepLoad load = LoadOf(crossing, full_bytes);
  const Step step(nodes.ranks, distance);
  const int64_t last_sender = (step.senders - 1) * 2 * distance;
  const int64_t subtree = nodes.ranks - last_sender - distance;
  if (subtree >= distance) return load;

  // The last message is shorter than the others at its level.
  const double missing_bytes = static_cast<double>(distance - subtree) * chunk_bytes;
  const int64_t from = nodes.Of((last_sender + at.root) % nodes.ranks);
  const int64_t to = nodes.Of((last_sender + distance + at.root) % nodes.ranks);
  if (from == to) {
    load.node_volume_bytes -= missing_bytes;
    if (crossing.node_messages == 1) load.node_max_bytes -= missing_bytes;
    return load;
  }
  load.network_volume_bytes -= missing_bytes;
  if (crossing.network_messages == 1) {
    load.network_max_bytes -= missing_bytes;
    load.node_out_bytes = load.node_in_bytes = load.network_max_bytes;
  } else if (nodes.cyclic) {
    const CyclicRuns runs(nodes, at.root, step);
    const size_t last = LastRun(runs.senders);
    load.node_out_bytes =
        BusiestBytes(runs.senders, last, 2 * distance, nodes.count, full_bytes, missing_bytes);
    load.node_in_bytes =
        BusiestBytes(runs.receivers, last, 2 * distance, nodes.count, full_bytes, missing_bytes);
  }
  return load;
}

Crossing Reversed(const Crossing& crossing) {
  return {crossing.node_messages, crossing.network_messages, crossing.busiest_node_in,
          crossing.busiest_node_out, crossing.disjoint};
}

StepLoad Reversed(const StepLoad& load) {
  StepLoad reversed = load;
  std::swap(reversed.node_out_bytes, reversed.node_in_bytes);
  return reversed;
}

}  // namespace cox::strategy
