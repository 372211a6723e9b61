#include "counted_traffic.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gtest/gtest.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::RankTraffic;
using model::Repetitions;
using model::Traffic;

// Adds up messages of one or of several repetitions.
class Counter {
 public:
  explicit Counter(const Scenario& scenario)
      : scenario_(scenario),
        ranks_(static_cast<size_t>(scenario.ranks)),
        node_out_(static_cast<size_t>(scenario.node_count())),
        node_in_(node_out_.size()) {}

  void Add(const Message& message) {
    const auto from = static_cast<size_t>(scenario_.NodeOf(message.source));
    const auto to = static_cast<size_t>(scenario_.NodeOf(message.destination));
    LevelTraffic& level = from == to ? traffic_.node : traffic_.network;
    const size_t which = from == to ? 0 : 1;
    level.messages_count += 1;
    level.volume_bytes += message.bytes;
    pairs_[which].emplace_back(message.source, message.destination);
    for (size_t at : {which, size_t{2}}) {
      RankTraffic& sender = ranks_[static_cast<size_t>(message.source)][at];
      RankTraffic& receiver = ranks_[static_cast<size_t>(message.destination)][at];
      RankTraffic& busiest = BusiestAt(at);
      busiest.sends_count = std::max(busiest.sends_count, sender.sends_count += 1);
      busiest.out_bytes = std::max(busiest.out_bytes, sender.out_bytes += message.bytes);
      busiest.receives_count = std::max(busiest.receives_count, receiver.receives_count += 1);
      busiest.in_bytes = std::max(busiest.in_bytes, receiver.in_bytes += message.bytes);
      busiest.max_message_bytes = std::max(busiest.max_message_bytes, message.bytes);
    }
    touched_.push_back(static_cast<size_t>(message.source));
    touched_.push_back(static_cast<size_t>(message.destination));
    if (from == to) return;
    level.node_out_bytes = std::max(level.node_out_bytes, node_out_[from] += message.bytes);
    level.node_in_bytes = std::max(level.node_in_bytes, node_in_[to] += message.bytes);
    touched_nodes_.push_back(from);
    touched_nodes_.push_back(to);
  }

  // The sums since the last Take().
  Traffic Take() {
    traffic_.disjoint = std::none_of(touched_.begin(), touched_.end(), [this](size_t rank) {
      return ranks_[rank][2].sends_count > 0 && ranks_[rank][2].receives_count > 0;
    });
    traffic_.node.pairs_count = Distinct(&pairs_[0]);
    traffic_.network.pairs_count = Distinct(&pairs_[1]);
    for (size_t rank : touched_) ranks_[rank] = {};
    for (size_t node : touched_nodes_) node_out_[node] = node_in_[node] = 0;
    touched_.clear();
    touched_nodes_.clear();
    return std::exchange(traffic_, Traffic());
  }

 private:
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;

  RankTraffic& BusiestAt(size_t at) {
    if (at == 2) return traffic_.any;
    return at == 0 ? traffic_.node : traffic_.network;
  }

  static double Distinct(Pairs* pairs) {
    std::sort(pairs->begin(), pairs->end());
    const auto end = std::unique(pairs->begin(), pairs->end());
    const auto count = static_cast<double>(end - pairs->begin());
    pairs->clear();
    return count;
  }

  Scenario scenario_;
  std::vector<std::array<RankTraffic, 3>> ranks_;  // node, network, both
  std::vector<double> node_out_, node_in_;
  std::vector<size_t> touched_, touched_nodes_;
  std::array<Pairs, 2> pairs_;
  Traffic traffic_;
};

void Widen(const RankTraffic& other, RankTraffic* rank) {
  rank->sends_count = std::max(rank->sends_count, other.sends_count);
  rank->receives_count = std::max(rank->receives_count, other.receives_count);
  rank->out_bytes = std::max(rank->out_bytes, other.out_bytes);
  rank->in_bytes = std::max(rank->in_bytes, other.in_bytes);
  rank->max_message_bytes = std::max(rank->max_message_bytes, other.max_message_bytes);
}

void Divide(double by, RankTraffic* rank) {
  rank->sends_count /= by;
  rank->receives_count /= by;
  rank->out_bytes /= by;
  rank->in_bytes /= by;
}

// Combines the sums over repetitions with those of all repetitions as one.
void Combine(Repetitions kind, double times, const LevelTraffic& whole, LevelTraffic* sum) {
  sum->pairs_count /= times;
  sum->messages_count /= times;
  sum->volume_bytes /= times;
  sum->node_out_bytes =
      (kind == Repetitions::kAlike ? sum->node_out_bytes : whole.node_out_bytes) / times;
  sum->node_in_bytes =
      (kind == Repetitions::kAlike ? sum->node_in_bytes : whole.node_in_bytes) / times;
  if (kind == Repetitions::kShared) {
    static_cast<RankTraffic&>(*sum) = whole;
    Divide(times, sum);
  }
}

void AddLevel(const LevelTraffic& one, LevelTraffic* sum) {
  Widen(one, sum);
  sum->pairs_count += one.pairs_count;
  sum->messages_count += one.messages_count;
  sum->volume_bytes += one.volume_bytes;
  sum->node_out_bytes += one.node_out_bytes;
  sum->node_in_bytes += one.node_in_bytes;
}

}  // namespace

std::vector<CountedPhase> CountTraffic(const Strategy& strategy, const Scenario& scenario,
                                       const model::Schedule& schedule) {
  std::vector<Message> messages;
  strategy.algorithm->enumerate(scenario, strategy.knobs,
                                [&](const Message& message) { messages.push_back(message); });
  const auto is_of_earlier_phase = [](const Message& a, const Message& b) {
    return a.phase < b.phase;
  };
  EXPECT_TRUE(std::is_sorted(messages.begin(), messages.end(), is_of_earlier_phase))
      << FormatStrategy(strategy) << " does not list its messages phase by phase";
  const auto before = [](const Message& a, const Message& b) {
    return std::pair(a.phase, a.repetition) < std::pair(b.phase, b.repetition);
  };
  if (!std::is_sorted(messages.begin(), messages.end(), before)) {
    std::stable_sort(messages.begin(), messages.end(), before);
  }

  std::vector<CountedPhase> phases;
  Counter counter(scenario);
  Counter whole(scenario);
  for (size_t i = 0; i < messages.size();) {
    const auto index = static_cast<size_t>(messages[i].phase);
    if (index >= phases.size()) phases.resize(index + 1);
    const Repetitions kind =
        index < schedule.size() ? schedule[index].repetitions : Repetitions::kAlike;
    CountedPhase& phase = phases[index];
    while (i < messages.size() && messages[i].phase == static_cast<int64_t>(index)) {
      const int64_t repetition = messages[i].repetition;
      for (; i < messages.size() && messages[i].phase == static_cast<int64_t>(index) &&
             messages[i].repetition == repetition;
           ++i) {
        counter.Add(messages[i]);
        if (kind != Repetitions::kAlike) whole.Add(messages[i]);
      }
      const Traffic one = counter.Take();
      // Alike means that the busiest rank's fields do not change.
      if (kind == Repetitions::kAlike && phase.times > 0 &&
          (one.any.out_bytes != phase.traffic.any.out_bytes ||
           one.network.sends_count != phase.traffic.network.sends_count ||
           one.node.sends_count != phase.traffic.node.sends_count)) {
        phase.traffic.any.sends_count = -1;  // equals no closed form
      }
      phase.traffic.disjoint = one.disjoint && (phase.times == 0 || phase.traffic.disjoint);
      AddLevel(one.node, &phase.traffic.node);
      AddLevel(one.network, &phase.traffic.network);
      Widen(one.any, &phase.traffic.any);
      phase.times = static_cast<double>(repetition + 1);
    }
    const Traffic all = whole.Take();
    Combine(kind, phase.times, all.node, &phase.traffic.node);
    Combine(kind, phase.times, all.network, &phase.traffic.network);
    if (kind == Repetitions::kShared) {
      phase.traffic.disjoint = all.disjoint;
      phase.traffic.any = all.any;
      Divide(phase.times, &phase.traffic.any);
    }
  }
  return phases;
}

}  // namespace cox::strategy
