#include <algorithm>
#include <array>

#include "strategy/traffic/residues.h"
#include "strategy/traffic/step_patterns.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

// The current step: every v < senders sends to v + distance. senders <= distance.
struct Step {
  int64_t distance;
  int64_t senders;
};

// The root's node: messages that stay, and its share of all senders and receivers.
struct RootNode {
  RootNode(const RotatedNodes& at, const Step& step) {
    const int64_t tail_begin = at.ranks - at.tail;
    const int64_t end = step.distance + step.senders;
    senders = Shared(0, at.head, 0, step.senders) + Shared(tail_begin, at.ranks, 0, step.senders);
    receivers =
        Shared(0, at.head, step.distance, end) + Shared(tail_begin, at.ranks, step.distance, end);
    staying = Shared(0, at.head - step.distance, 0, step.senders) +
              Shared(tail_begin, at.ranks - step.distance, 0, step.senders) +
              Shared(tail_begin - step.distance, at.ranks - step.distance, 0,
                     std::min(at.head, step.senders));
  }

  int64_t senders;
  int64_t receivers;
  int64_t staying;
};

// The most v of [from, to) within one interval of `size`, of `intervals` that begin at `begin`.
int64_t MostInOne(int64_t begin, int64_t size, int64_t intervals, int64_t from, int64_t to) {
  from = std::max(from, begin) - begin;
  to = std::min(to, begin + intervals * size) - begin;
  if (from >= to) return 0;
  if (to - from >= 2 * size - 1) return size;            // a whole node lies between
  const int64_t next = (from + size - 1) / size * size;  // first border at or after `from`
  if (to <= next) return to - from;
  if (to >= next + size) return size;
  return std::max(next - from, to - next);
}

// The same over all nodes but the root's.
int64_t MostInOneNode(const RotatedNodes& at, int64_t from, int64_t to) {
  int64_t most = MostInOne(at.head, at.ppn, at.before_last, from, to);
  if (at.has_last) {
    most = std::max(most, Shared(at.last_begin(), at.last_begin() + at.last_size, from, to));
  }
  return std::max(most, MostInOne(at.after_begin(), at.ppn, at.after_last, from, to));
}

// If nodes are smaller than the distance, only the root's two pieces can keep a message.
Crossing OverNodes(const RotatedNodes& at, const Step& step) {
  const int64_t end = step.distance + step.senders;
  const RootNode root(at, step);
  return {static_cast<double>(root.staying), static_cast<double>(step.senders - root.staying),
          static_cast<double>(
              std::max(root.senders - root.staying, MostInOneNode(at, 0, step.senders))),
          static_cast<double>(
              std::max(root.receivers - root.staying, MostInOneNode(at, step.distance, end))),
          true};
}

// If nodes are larger, senders and receivers are fewer than two nodes' ranks, so few nodes have
// any.
Crossing AmongNodes(const RotatedNodes& at, const Step& step) {
  const RootNode root(at, step);
  const int64_t end = step.distance + step.senders;
  int64_t staying = root.staying;
  int64_t busiest_out = root.senders - root.staying;
  int64_t busiest_in = root.receivers - root.staying;
  int64_t begin = at.head;
  for (int64_t i = 0; i < at.count() && begin < end; ++i) {
    const int64_t next = begin + at.SizeOf(i);
    const int64_t stay = Shared(begin, next - step.distance, 0, step.senders);
    staying += stay;
    busiest_out = std::max(busiest_out, Shared(begin, next, 0, step.senders) - stay);
    busiest_in = std::max(busiest_in, Shared(begin, next, step.distance, end) - stay);
    begin = next;
  }
  return {static_cast<double>(staying), static_cast<double>(step.senders - staying),
          static_cast<double>(busiest_out), static_cast<double>(busiest_in), true};
}

// Cyclic placement. Senders are ranks root + v. Some (`home`) send across rank p - 1 to rank 0;
// their node numbers differ by distance - p instead of distance.
Crossing CyclicStep(const Nodes& nodes, int64_t root, const Step& step) {
  const int64_t p = nodes.ranks;
  const int64_t d = step.distance;
  const int64_t end = root + step.senders;
  const Run before{root, Shared(root, end, 0, p - d)};
  const Run home{std::max(root, p - d), Shared(root, end, p - d, p)};
  const Run after{0, Shared(root, end, p, 2 * p)};  // ranks again, from 0
  const bool stays = d % nodes.count == 0;
  const bool home_stays = (p - d) % nodes.count == 0;
  const int64_t staying = (stays ? before.terms + after.terms : 0) + (home_stays ? home.terms : 0);
  const Run none{0, 0};
  const Run crossing_before = stays ? none : before;
  const Run crossing_home = home_stays ? none : home;
  const Run crossing_after = stays ? none : after;
  const std::array<Run, 3> senders = {crossing_before, crossing_home, crossing_after};
  const std::array<Run, 3> receivers = {Run{crossing_before.first + d, crossing_before.terms},
                                        Run{crossing_home.first + d - p, crossing_home.terms},
                                        Run{crossing_after.first + d, crossing_after.terms}};
  return {static_cast<double>(staying), static_cast<double>(step.senders - staying),
          static_cast<double>(MostAtOne(senders, 1, nodes.count)),
          static_cast<double>(MostAtOne(receivers, 1, nodes.count)), true};
}

}  // namespace

Crossing NearTreeStep(const Rooted& at, int64_t distance) {
  const Step step{distance, std::min(distance, at.nodes.ranks - distance)};
  if (at.nodes.count == 1) return {static_cast<double>(step.senders), 0, 0, 0, true};
  if (at.nodes.cyclic) return CyclicStep(at.nodes, at.root, step);
  return distance >= at.nodes.ppn ? OverNodes(at.block, step) : AmongNodes(at.block, step);
}

StepRun ShortNearTreeSteps(const Rooted& at) {
  StepRun run;
  if (at.nodes.count == 1) {
    run.steps = topology::DoublingsTo(at.nodes.ranks);
  } else if (!at.nodes.cyclic) {
    run.steps = topology::ExponentOf(topology::LargestPowerOfTwo(at.block.head));
  }
  if (run.steps == 0) return run;
  const int64_t reached = std::min(int64_t{1} << run.steps, at.nodes.ranks);
  run.mean.node_messages = static_cast<double>(reached - 1) / static_cast<double>(run.steps);
  run.mean.disjoint = true;
  return run;
}

StepRun LongNearTreeSteps(const Rooted& at, int64_t distance) {
  const RotatedNodes& block = at.block;
  StepRun run;
  if (at.nodes.cyclic || at.nodes.count == 1 || block.tail != 0) return run;
  // Nodes consist entirely of senders or of receivers: a node's ranks all leave or all enter.
  if (distance < block.ppn || (block.ppn > 1 && distance < 2 * block.ppn)) return run;
  int64_t next = distance;
  for (; 2 * next <= block.last_begin(); next *= 2) ++run.steps;
  if (run.steps == 0) return run;
  const auto busiest = static_cast<double>(block.ppn);
  run.mean = {0, static_cast<double>(next - distance) / static_cast<double>(run.steps), busiest,
              busiest, true};
  return run;
}

}  // namespace cox::strategy
