#include "advise/placement/link_time.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "advise/placement/job_links.h"
#include "model/cost.h"
#include "model/models/charge.h"
#include "model/models/models.h"
#include "model/models/socket_level.h"

namespace cox::advise {
namespace {

// Sizes between which a model's price of a byte is taken.
constexpr double kShortBytes = 1 << 20;
constexpr double kLongBytes = 2 << 20;

model::Cost CostOfPhase(const PricedBy& priced_by, const model::Phase& phase,
                        const model::Extent& extent) {
  thread_local model::Schedule one;
  one.Clear(extent);
  one.Add() = phase;
  return priced_by.model->Price(*priced_by.values, one);
}

double PriceOfPhase(const PricedBy& priced_by, const model::Phase& phase,
                    const model::Extent& extent) {
  return CostOfPhase(priced_by, phase, extent).TotalSeconds();
}

model::Phase Message(model::LevelTraffic model::Traffic::*level, double bytes) {
  model::Phase phase;
  model::LevelTraffic& traffic = phase.traffic.*level;
  traffic.sends_count = traffic.receives_count = traffic.pairs_count = traffic.messages_count = 1;
  traffic.out_bytes = traffic.in_bytes = traffic.max_message_bytes = bytes;
  traffic.volume_bytes = traffic.node_out_bytes = traffic.node_in_bytes = bytes;
  phase.traffic.any = traffic;
  phase.traffic.disjoint = true;
  return phase;
}

// Seconds that a byte takes between two ranks, by the price of a longer message.
double ByteTime(const PricedBy& priced_by, model::LevelTraffic model::Traffic::*level) {
  const model::Extent pair{2, 1, 1};
  return (PriceOfPhase(priced_by, Message(level, kLongBytes), pair) -
          PriceOfPhase(priced_by, Message(level, kShortBytes), pair)) /
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

// Messages of the busiest rank between sockets, and their bytes.
struct Crossing {
  double messages = 0;
  double bytes = 0;
};

// What messages between sockets cost more than in a socket, if the model has been told.
class SocketPrices {
 public:
  SocketPrices(const PricedBy& priced_by, const NodesInUse& nodes,
               const strategy::Scenario& scenario)
      : priced_by_(priced_by) {
    if (JobLinks::HaveSockets(nodes, scenario)) {
      values_ = model::AtSockets(*priced_by.model, *priced_by.values);
    }
  }

  bool are_known() const { return values_.has_value(); }
  // The model with the values of this level in the place of the node's; else the model itself.
  PricedBy AtSockets() const {
    return are_known() ? PricedBy{priced_by_.model, &*values_} : priced_by_;
  }

  // Adds the difference for one repetition of a phase, times `times`; returns that of its bytes.
  // The network's messages are charged first, so that only those count that the node's price is
  // charged for.
  double Add(const model::Phase& phase, const Crossing& crossing, double times,
             LinkTime* time) const {
    if (!are_known() || crossing.messages == 0) return 0;
    const model::Charge charge = model::ChargeOf(phase.traffic);
    const double messages = std::min(crossing.messages, charge.node_messages);
    const double bytes = std::min(crossing.bytes, charge.node_bytes);
    model::Phase alone;
    model::LevelTraffic& node = alone.traffic.node;
    node.sends_count = node.receives_count = messages;
    node.out_bytes = node.in_bytes = bytes;
    node.max_message_bytes = phase.traffic.node.max_message_bytes;
    alone.traffic.any = node;
    const model::Extent pair{2, 1, 1};
    const model::Cost between = CostOfPhase(AtSockets(), alone, pair);
    const model::Cost within = CostOfPhase(priced_by_, alone, pair);
    const auto more = [&](model::Term term) { return between[term] - within[term]; };
    time->socket_startup_s += times * more(model::Term::kStartup);
    time->socket_bandwidth_s += times * more(model::Term::kBandwidth);
    return more(model::Term::kBandwidth);
  }

 private:
  const PricedBy priced_by_;
  std::optional<model::ParameterValues> values_;
};

struct Sent {
  int64_t repetition;
  int64_t source;
  int64_t destination;
  double bytes;
};

// Times of the links in one step.
class StepLoads {
 public:
  explicit StepLoads(const JobLinks& links)
      : links_(links), loads_(static_cast<size_t>(links.count()), 0) {}

  void Add(const Sent& message) {
    if (links_.CrossesSockets(message.source, message.destination)) AddCrossing(message);
    route_.clear();
    latency_s_ =
        std::max(latency_s_, links_.AddRoute(message.source, message.destination, &route_));
    for (const int link : route_) {
      double& load = loads_[static_cast<size_t>(link)];
      if (load == 0) loaded_.push_back(link);
      load += message.bytes;
    }
  }

  double latency_s() const { return latency_s_; }

  // The busiest rank's messages between sockets. Forgets them.
  Crossing TakeCrossing() {
    Crossing busiest;
    for (const auto& [rank, traffic] : crossing_) {
      busiest.messages = std::max({busiest.messages, traffic.sends_count, traffic.receives_count});
      busiest.bytes = std::max({busiest.bytes, traffic.out_bytes, traffic.in_bytes});
    }
    crossing_.clear();
    return busiest;
  }

  // Seconds of the busiest link. Forgets the step.
  double TakeTime() {
    double most_s = 0;
    for (const int link : loaded_) {
      double& load = loads_[static_cast<size_t>(link)];
      most_s = std::max(most_s, load * links_.ByteTime(link));
      load = 0;
    }
    loaded_.clear();
    latency_s_ = 0;
    return most_s;
  }

 private:
  void AddCrossing(const Sent& message) {
    model::RankTraffic& sender = crossing_[message.source];
    sender.sends_count += 1;
    sender.out_bytes += message.bytes;
    model::RankTraffic& receiver = crossing_[message.destination];
    receiver.receives_count += 1;
    receiver.in_bytes += message.bytes;
  }

  const JobLinks& links_;
  absl::flat_hash_map<int64_t, model::RankTraffic> crossing_;  // of each rank
  std::vector<double> loads_;
  std::vector<int> loaded_;
  std::vector<int> route_;
  double latency_s_ = 0;
};

class StepTimes {
 public:
  StepTimes(const PricedBy& priced_by, const SocketPrices& sockets, const model::Schedule& schedule,
            const JobLinks& links)
      : priced_by_(priced_by),
        sockets_(sockets),
        schedule_(schedule),
        links_(links),
        step_(links) {}

  // `messages`: all of one phase.
  void AddListed(const model::Phase& phase, std::vector<Sent>* messages) {
    const auto is_earlier = [](const Sent& a, const Sent& b) {
      return a.repetition < b.repetition;
    };
    if (!std::is_sorted(messages->begin(), messages->end(), is_earlier)) {
      std::stable_sort(messages->begin(), messages->end(), is_earlier);
    }
    const double own_s = OwnByteTime(priced_by_, phase, schedule_.whole());
    for (size_t i = 0; i < messages->size(); ++i) {
      step_.Add((*messages)[i]);
      if (i + 1 < messages->size() && (*messages)[i + 1].repetition == (*messages)[i].repetition) {
        continue;
      }
      time_.latency_s += step_.latency_s();
      const double more_s = sockets_.Add(phase, step_.TakeCrossing(), 1, &time_);
      AddStep(step_.TakeTime(), own_s + more_s, 1);
    }
    messages->clear();
  }

  // Without a list: all pairs of nodes have the same share of the bytes, and all pairs of a node.
  void AddEven(const model::Phase& phase) {
    const model::Traffic& traffic = phase.traffic;
    const JobLinks::Even even =
        links_.Evenly(traffic.network.volume_bytes, traffic.node.volume_bytes);
    time_.is_even = true;
    time_.latency_s += phase.times * even.latency_s;
    const model::Charge charge = model::ChargeOf(traffic);
    const double share = links_.CrossingShare();
    const Crossing crossing{share * charge.node_messages, share * charge.node_bytes};
    const double more_s = sockets_.Add(phase, crossing, phase.times, &time_);
    AddStep(even.link_s, OwnByteTime(priced_by_, phase, schedule_.whole()) + more_s, phase.times);
  }

  const LinkTime& time() const { return time_; }

 private:
  void AddStep(double link_s, double own_s, double times) {
    time_.congestion_s += times * std::max(0.0, link_s - own_s);
  }

  const PricedBy& priced_by_;
  const SocketPrices& sockets_;
  const model::Schedule& schedule_;
  const JobLinks& links_;
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
  return {static_cast<double>(ranks), nodes.bisection_links, nodes.distance_links};
}

double ListedMessages(const model::Schedule& schedule, const NodesInUse& nodes) {
  const double count = MessageCount(schedule);
  const bool are_few =
      count <= kMaxListedMessages && count * nodes.distance_links <= kMaxListedLinks;
  return are_few ? count : 0;
}

LinkTime LinkTimeOf(const PricedBy& priced_by, const strategy::Scenario& scenario,
                    const model::Schedule& schedule, const NodesInUse& nodes, MessageList list) {
  if (PricesExtent(*priced_by.model) || !JobLinks::Exist(nodes, scenario)) return {};
  const SocketPrices sockets(priced_by, nodes, scenario);
  const JobLinks links(nodes, scenario,
                       {.network_byte_s = ByteTime(priced_by, &model::Traffic::network),
                        .socket_byte_s = ByteTime(sockets.AtSockets(), &model::Traffic::node),
                        .socket_hop_s = sockets.are_known() ? 0 : nodes.sockets.hop_time_s});
  StepTimes times(priced_by, sockets, schedule, links);
  if (ListedMessages(schedule, nodes) == 0) {
    for (const model::Phase& phase : schedule) times.AddEven(phase);
    return times.time();
  }
  std::vector<Sent> messages;
  int64_t phase = 0;
  const bool have_sockets = JobLinks::HaveSockets(nodes, scenario);
  list([&](const strategy::Message& message) {
    // No link is on its way.
    if (!have_sockets && scenario.NodeOf(message.source) == scenario.NodeOf(message.destination)) {
      return;
    }
    if (message.phase != phase) {
      times.AddListed(schedule[static_cast<size_t>(phase)], &messages);
      phase = message.phase;
    }
    messages.push_back({message.repetition, message.source, message.destination, message.bytes});
  });
  if (!messages.empty()) times.AddListed(schedule[static_cast<size_t>(phase)], &messages);
  return times.time();
}

void CopyOnNodes(const PricedBy& priced_by, const strategy::Scenario& scenario,
                 const NodesInUse& nodes, const model::Schedule& schedule, model::Schedule* here) {
  const auto count = static_cast<double>(nodes.node_count);
  const model::Extent crossbar{static_cast<double>(scenario.ranks), std::max(1.0, count / 2),
                               count > 1 ? 1.0 : 0.0};
  here->Clear(PricesExtent(*priced_by.model) ? ExtentOf(nodes, scenario.ranks) : crossbar);
  for (const model::Phase& phase : schedule) here->Add() = phase;
}

void AddLinkTime(const LinkTime& links, Prediction* prediction) {
  prediction->cost[model::Term::kLinkCongestion] += links.congestion_s;
  prediction->cost[model::Term::kLatency] += links.latency_s;
  prediction->cost[model::Term::kStartup] += links.socket_startup_s;
  prediction->cost[model::Term::kBandwidth] += links.socket_bandwidth_s;
  if (!links.is_even || !(links.congestion_s > 0)) return;
  if (!prediction->caveat.empty()) prediction->caveat += "; ";
  prediction->caveat += absl::StrFormat(
      "more than %.0f messages, or %.0f links on their ways: links are priced as if all pairs of "
      "nodes had the same bytes",
      kMaxListedMessages, kMaxListedLinks);
}

Prediction PriceOnNodes(const PricedBy& priced_by, const strategy::Strategy& strategy,
                        const strategy::Scenario& scenario, const model::Schedule& schedule,
                        const NodesInUse& nodes) {
  thread_local model::Schedule here;
  CopyOnNodes(priced_by, scenario, nodes, schedule, &here);
  Prediction prediction = Price(priced_by, strategy::FormatStrategy(strategy), here);
  const auto list = [&](strategy::MessageSink sink) {
    strategy.algorithm->enumerate(scenario, strategy.knobs, sink);
  };
  AddLinkTime(LinkTimeOf(priced_by, scenario, here, nodes, list), &prediction);
  return prediction;
}

}  // namespace cox::advise
