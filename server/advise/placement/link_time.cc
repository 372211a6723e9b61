#include "advise/placement/link_time.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "model/cost.h"
#include "model/models/models.h"

namespace cox::advise {
namespace {

// Sizes between which a model's price of a byte is taken.
constexpr double kShortBytes = 1 << 20;
constexpr double kLongBytes = 2 << 20;

double PriceOfPhase(const PricedBy& priced_by, const model::Phase& phase,
                    const model::Extent& extent) {
  thread_local model::Schedule one;
  one.Clear(extent);
  one.Add() = phase;
  return priced_by.model->Price(*priced_by.values, one).TotalSeconds();
}

double PriceOfMessage(const PricedBy& priced_by, double bytes) {
  model::Phase phase;
  model::LevelTraffic& network = phase.traffic.network;
  network.sends_count = network.receives_count = network.pairs_count = network.messages_count = 1;
  network.out_bytes = network.in_bytes = network.max_message_bytes = bytes;
  network.volume_bytes = network.node_out_bytes = network.node_in_bytes = bytes;
  phase.traffic.any = network;
  phase.traffic.disjoint = true;
  return PriceOfPhase(priced_by, phase, {2, 1, 1});
}

// Seconds that a byte takes on a node's link.
double ByteTime(const PricedBy& priced_by) {
  return (PriceOfMessage(priced_by, kLongBytes) - PriceOfMessage(priced_by, kShortBytes)) /
         (kLongBytes - kShortBytes);
}

void DropBytes(model::RankTraffic* traffic) {
  traffic->out_bytes = traffic->in_bytes = traffic->max_message_bytes = 0;
}

void DropBytes(model::LevelTraffic* traffic) {
  DropBytes(static_cast<model::RankTraffic*>(traffic));
  traffic->volume_bytes = traffic->node_out_bytes = traffic->node_in_bytes = 0;
}

// The part of one repetition's price that is due to its bytes.
double OwnByteTime(const PricedBy& priced_by, const model::Phase& phase,
                   const model::Extent& extent) {
  model::Phase once = phase;
  once.times = 1;
  model::Phase empty = once;
  DropBytes(&empty.traffic.node);
  DropBytes(&empty.traffic.network);
  DropBytes(&empty.traffic.any);
  return PriceOfPhase(priced_by, once, extent) - PriceOfPhase(priced_by, empty, extent);
}

struct Sent {
  int64_t repetition;
  int from;  // switches
  int to;
  double bytes;
};

// Loads of the up-links in one step.
class StepLoads {
 public:
  explicit StepLoads(const NodesInUse& nodes)
      : nodes_(nodes), up_(nodes.switches.size(), 0), down_(nodes.switches.size(), 0) {}

  void Add(const Sent& message) {
    int from = message.from;
    int to = message.to;
    double latency_s = 0;
    // Parents come before children, so the larger index is never above the other one.
    while (from != to) {
      int& lower = from > to ? from : to;
      std::vector<double>& loads = from > to ? up_ : down_;
      if (up_[lower] == 0 && down_[lower] == 0) loaded_.push_back(lower);
      loads[lower] += message.bytes;
      latency_s += nodes_.switches[lower].hop_time_s;
      lower = nodes_.switches[lower].parent;
    }
    latency_s_ = std::max(latency_s_, latency_s);
  }

  double latency_s() const { return latency_s_; }

  // Bytes on a link of the busiest up-link. Forgets the step.
  double TakeBytesOnALink() {
    double most = 0;
    for (const int s : loaded_) {
      most = std::max(most, std::max(up_[s], down_[s]) / nodes_.switches[s].uplinks_count);
      up_[s] = down_[s] = 0;
    }
    loaded_.clear();
    latency_s_ = 0;
    return most;
  }

 private:
  const NodesInUse& nodes_;
  std::vector<double> up_;
  std::vector<double> down_;
  std::vector<int> loaded_;
  double latency_s_ = 0;
};

class Links {
 public:
  Links(const PricedBy& priced_by, const model::Schedule& schedule, const NodesInUse& nodes)
      : priced_by_(priced_by),
        schedule_(schedule),
        nodes_(nodes),
        byte_time_s_(ByteTime(priced_by)),
        step_(nodes) {}

  // `messages`: all of one phase.
  void AddListed(const model::Phase& phase, std::vector<Sent>* messages) {
    std::stable_sort(messages->begin(), messages->end(),
                     [](const Sent& a, const Sent& b) { return a.repetition < b.repetition; });
    const double own_s = OwnByteTime(priced_by_, phase, schedule_.whole());
    for (size_t i = 0; i < messages->size(); ++i) {
      step_.Add((*messages)[i]);
      if (i + 1 < messages->size() && (*messages)[i + 1].repetition == (*messages)[i].repetition) {
        continue;
      }
      time_.latency_s += step_.latency_s();
      AddStep(step_.TakeBytesOnALink(), own_s, 1);
    }
    messages->clear();
  }

  // Without a list: each pair of nodes has the same share of the bytes.
  void AddEven(const model::Phase& phase) {
    const auto n = static_cast<double>(nodes_.node_count());
    const model::LevelTraffic& network = phase.traffic.network;
    if (!(network.messages_count > 0) || n < 2) return;
    double most = 0;
    double longest_s = 0;
    std::vector<double> above_s(nodes_.switches.size(), 0);
    for (size_t s = 0; s < nodes_.switches.size(); ++s) {
      const UsedSwitch& one = nodes_.switches[s];
      if (one.parent < 0) continue;
      const auto k = static_cast<double>(one.node_count);
      const double crossing = network.volume_bytes * k * (n - k) / (n * (n - 1));
      most = std::max(most, crossing / one.uplinks_count);
      above_s[s] = above_s[one.parent] + one.hop_time_s;
      longest_s = std::max(longest_s, above_s[s]);
    }
    time_.is_even = true;
    time_.latency_s += phase.times * 2 * longest_s;
    AddStep(most, OwnByteTime(priced_by_, phase, schedule_.whole()), phase.times);
  }

  const LinkTime& time() const { return time_; }

 private:
  void AddStep(double bytes_on_a_link, double own_s, double times) {
    time_.congestion_s += times * std::max(0.0, bytes_on_a_link * byte_time_s_ - own_s);
  }

  const PricedBy& priced_by_;
  const model::Schedule& schedule_;
  const NodesInUse& nodes_;
  const double byte_time_s_;
  StepLoads step_;
  LinkTime time_;
};

double MessageCount(const model::Schedule& schedule) {
  double count = 0;
  for (const model::Phase& phase : schedule) {
    const model::Traffic& traffic = phase.traffic;
    count += phase.times * (traffic.node.messages_count + traffic.network.messages_count);
  }
  return count;
}

}  // namespace

bool PricesExtent(const model::Model& model) { return &model == &model::C3(); }

model::Extent ExtentOf(const NodesInUse& nodes, int64_t ranks) {
  return {static_cast<double>(ranks), nodes.bisection_links(), nodes.distance_links()};
}

LinkTime LinkTimeOf(const PricedBy& priced_by, const strategy::Strategy& strategy,
                    const strategy::Scenario& scenario, const model::Schedule& schedule,
                    const NodesInUse& nodes) {
  const bool has_uplinks = std::any_of(nodes.switches.begin(), nodes.switches.end(),
                                       [](const UsedSwitch& one) { return one.parent >= 0; });
  if (PricesExtent(*priced_by.model) || !has_uplinks) return {};
  Links links(priced_by, schedule, nodes);
  if (MessageCount(schedule) > kMaxListedMessages) {
    for (const model::Phase& phase : schedule) links.AddEven(phase);
    return links.time();
  }
  std::vector<Sent> messages;
  int64_t phase = 0;
  strategy.algorithm->enumerate(scenario, strategy.knobs, [&](const strategy::Message& message) {
    if (message.phase != phase) {
      links.AddListed(schedule[static_cast<size_t>(phase)], &messages);
      phase = message.phase;
    }
    const auto node_of = [&](int64_t rank) {
      return nodes.switch_of[static_cast<size_t>(scenario.NodeOf(rank))];
    };
    const int from = node_of(message.source);
    const int to = node_of(message.destination);
    if (from != to) messages.push_back({message.repetition, from, to, message.bytes});
  });
  if (!messages.empty()) links.AddListed(schedule[static_cast<size_t>(phase)], &messages);
  return links.time();
}

Prediction PriceOnNodes(const PricedBy& priced_by, const strategy::Strategy& strategy,
                        const strategy::Scenario& scenario, const model::Schedule& schedule,
                        const NodesInUse& nodes) {
  const bool by_extent = PricesExtent(*priced_by.model);
  // Another model must not warn of links that are priced here: it sees a crossbar of these nodes.
  const auto count = static_cast<double>(nodes.node_count());
  const model::Extent crossbar{static_cast<double>(scenario.ranks), std::max(1.0, count / 2),
                               count > 1 ? 1.0 : 0.0};
  thread_local model::Schedule here;
  here.Clear(by_extent ? ExtentOf(nodes, scenario.ranks) : crossbar);
  for (const model::Phase& phase : schedule) here.Add() = phase;
  Prediction prediction = Price(priced_by, strategy::FormatStrategy(strategy), here);
  const LinkTime links = LinkTimeOf(priced_by, strategy, scenario, here, nodes);
  prediction.cost[model::Term::kLinkCongestion] += links.congestion_s;
  prediction.cost[model::Term::kLatency] += links.latency_s;
  if (links.is_even && links.congestion_s > 0) {
    if (!prediction.caveat.empty()) prediction.caveat += "; ";
    prediction.caveat += absl::StrFormat(
        "more than %.0f messages: links are priced as if all pairs of nodes had the same bytes",
        kMaxListedMessages);
  }
  return prediction;
}

}  // namespace cox::advise
