#include "advise/placement/link_time.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "advise/placement/job_links.h"
#include "domain/collective.h"
#include "model/cost.h"
#include "model/models/charge.h"
#include "model/models/models.h"
#include "model/models/socket_level.h"

namespace cox::advise {
namespace {

// Sizes between which a model's price of a byte is taken.
constexpr double kShortBytes = 1 << 20;
constexpr double kLongBytes = 2 << 20;
// Relative, of sums of bytes.
constexpr double kRounding = 1e-9;

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

// A message of each of `senders` ranks of a node.
model::Phase Messages(model::LevelTraffic model::Traffic::*level, double senders, double bytes) {
  model::Phase phase;
  model::LevelTraffic& traffic = phase.traffic.*level;
  traffic.sends_count = traffic.receives_count = 1;
  traffic.pairs_count = traffic.messages_count = senders;
  traffic.out_bytes = traffic.in_bytes = traffic.max_message_bytes = bytes;
  traffic.volume_bytes = traffic.node_out_bytes = traffic.node_in_bytes = senders * bytes;
  phase.traffic.any = traffic;
  phase.traffic.disjoint = true;
  return phase;
}

// Seconds of a byte that `senders` ranks of a node send together, by the price of longer messages.
double ByteTime(const PricedBy& priced_by, model::LevelTraffic model::Traffic::*level,
                double senders = 1) {
  const model::Extent pairs{2 * senders, 1, 1};
  return (PriceOfPhase(priced_by, Messages(level, senders, kLongBytes), pairs) -
          PriceOfPhase(priced_by, Messages(level, senders, kShortBytes), pairs)) /
         (senders * (kLongBytes - kShortBytes));
}

// Seconds of a byte over a node's link: those between two ranks alone. Max-rate says what the
// node's ranks reach together.
double LinkByteTime(const PricedBy& priced_by, const strategy::Scenario& scenario) {
  const bool knows_nodes = priced_by.model == &model::MaxRate();
  const int64_t senders = knows_nodes ? std::min(scenario.ppn, scenario.ranks) : 1;
  return ByteTime(priced_by, &model::Traffic::network, static_cast<double>(senders));
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

  template <typename H>
  friend H AbslHashValue(H state, const Sent& one) {
    return H::combine(std::move(state), one.source, one.destination, one.bytes);
  }
};

// The messages of one repetition of a phase, and how many repetitions have the same ones.
struct Step {
  absl::Span<const Sent> messages;
  double times = 1;
};

bool IsAlike(absl::Span<const Sent> a, absl::Span<const Sent> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Sent& x, const Sent& y) {
    return x.source == y.source && x.destination == y.destination && x.bytes == y.bytes;
  });
}

// The steps of a phase that differ, in their order; a ring has one. Sorts the messages, which
// outlive the steps. At least one message.
std::vector<Step> StepsOf(std::vector<Sent>* messages) {
  const auto is_earlier = [](const Sent& a, const Sent& b) { return a.repetition < b.repetition; };
  if (!std::is_sorted(messages->begin(), messages->end(), is_earlier)) {
    std::stable_sort(messages->begin(), messages->end(), is_earlier);
  }
  if (messages->front().repetition == messages->back().repetition) return {{*messages, 1}};
  std::vector<Step> steps;
  absl::flat_hash_map<size_t, size_t> index_of;  // by the hash of the messages
  for (size_t begin = 0, end = 0; begin < messages->size(); begin = end) {
    while (end < messages->size() && (*messages)[end].repetition == (*messages)[begin].repetition) {
      ++end;
    }
    const auto step = absl::MakeConstSpan(*messages).subspan(begin, end - begin);
    const auto [at, is_new] = index_of.emplace(absl::HashOf(step), steps.size());
    if (!is_new && IsAlike(steps[at->second].messages, step)) {
      steps[at->second].times += 1;
    } else {
      steps.push_back({step, 1});
    }
  }
  return steps;
}

// Seconds for one step of the busiest up-link, of the busiest node's link, and of the busiest link
// between sockets.
struct LinkSeconds {
  double switch_s = 0;
  double node_s = 0;
  double socket_s = 0;
};

// Times of the links in one step.
class StepLoads {
 public:
  StepLoads(const JobLinks& links, const strategy::Scenario& scenario)
      : links_(links),
        scenario_(scenario),
        loads_(static_cast<size_t>(links.count()), 0),
        nodes_(2 * static_cast<size_t>(scenario.node_count()), 0) {}

  void Add(const Sent& message) {
    if (links_.CrossesSockets(message.source, message.destination)) AddCrossing(message);
    AddNodes(message);
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

  // Forgets the step.
  LinkSeconds TakeTimes() {
    LinkSeconds most;
    for (const int link : loaded_) {
      double& load = loads_[static_cast<size_t>(link)];
      double& most_s = links_.IsBetweenNodes(link) ? most.switch_s : most.socket_s;
      most_s = std::max(most_s, load * links_.ByteTime(link));
      load = 0;
    }
    loaded_.clear();
    for (const size_t end : loaded_nodes_) {
      most.node_s = std::max(most.node_s, nodes_[end] * links_.node_byte_s());
      nodes_[end] = 0;
    }
    loaded_nodes_.clear();
    latency_s_ = 0;
    return most;
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

  // Out of a node and into another one.
  void AddNodes(const Sent& message) {
    const auto from = static_cast<size_t>(scenario_.NodeOf(message.source));
    const auto to = static_cast<size_t>(scenario_.NodeOf(message.destination));
    if (from == to) return;
    for (const size_t end : {2 * from, 2 * to + 1}) {
      if (nodes_[end] == 0) loaded_nodes_.push_back(end);
      nodes_[end] += message.bytes;
    }
  }

  const JobLinks& links_;
  const strategy::Scenario& scenario_;
  absl::flat_hash_map<int64_t, model::RankTraffic> crossing_;  // of each rank
  std::vector<double> loads_;
  std::vector<int> loaded_;
  std::vector<double> nodes_;  // bytes out of each node, and into it
  std::vector<size_t> loaded_nodes_;
  std::vector<int> route_;
  double latency_s_ = 0;
};

class StepTimes {
 public:
  StepTimes(const PricedBy& priced_by, const SocketPrices& sockets, const model::Schedule& schedule,
            const strategy::Scenario& scenario, const JobLinks& links)
      : priced_by_(priced_by),
        sockets_(sockets),
        schedule_(schedule),
        links_(links),
        step_(links, scenario) {}

  void AddListed(const model::Phase& phase, absl::Span<const Step> steps) {
    const double own_s = OwnByteTime(priced_by_, phase, schedule_.whole());
    for (const Step& step : steps) {
      for (const Sent& message : step.messages) step_.Add(message);
      time_.latency_s += step.times * step_.latency_s();
      const double more_s = sockets_.Add(phase, step_.TakeCrossing(), step.times, &time_);
      AddStep(step_.TakeTimes(), own_s + more_s, step.times);
    }
  }

  // Without a list: all pairs of nodes have the same share of the bytes, and all pairs of a node.
  void AddEven(const model::Phase& phase) {
    const model::Traffic& traffic = phase.traffic;
    const JobLinks::Even even = links_.Evenly(traffic);
    time_.latency_s += phase.times * even.latency_s;
    const model::Charge charge = model::ChargeOf(traffic);
    const double share = links_.CrossingShare();
    const Crossing crossing{share * charge.node_messages, share * charge.node_bytes};
    const double more_s = sockets_.Add(phase, crossing, phase.times, &time_);
    const double node_bytes =
        std::max(traffic.network.node_out_bytes, traffic.network.node_in_bytes);
    AddStep({even.switch_s, node_bytes * links_.node_byte_s(), even.socket_s},
            OwnByteTime(priced_by_, phase, schedule_.whole()) + more_s, phase.times);
  }

  const LinkTime& time() const { return time_; }

 private:
  // A model may let each rank of a node have a link of its own. What their one link takes longer
  // is not the switches' doing, so up-links count only beyond it.
  void AddStep(const LinkSeconds& links, double own_s, double times) {
    const double more_s =
        std::max(links.switch_s - std::max(own_s, links.node_s), links.socket_s - own_s);
    time_.congestion_s += times * std::max(0.0, more_s);
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

// Whether each rank sends each other one its block, by itself: then all pairs of nodes do have the
// same bytes.
bool IsDirectExchange(const strategy::Scenario& scenario, const model::Schedule& schedule) {
  if (scenario.collective != domain::Collective::kAlltoall) return false;
  double volume_bytes = 0;
  for (const model::Phase& phase : schedule) {
    const model::Traffic& traffic = phase.traffic;
    volume_bytes += phase.times * (traffic.node.volume_bytes + traffic.network.volume_bytes);
  }
  const auto p = static_cast<double>(scenario.ranks);
  const double least_bytes = p * (p - 1) * static_cast<double>(scenario.block_bytes);
  return std::abs(volume_bytes - least_bytes) <= kRounding * least_bytes;
}

// Whether it is worth the time to read the messages: steps that differ may be few enough to list.
// Those of a direct exchange all differ.
bool MayList(const strategy::Scenario& scenario, const model::Schedule& schedule) {
  const double count = MessageCount(schedule);
  if (count <= kMaxListedMessages) return true;
  double least = 0;  // if all repetitions of each phase are alike
  for (const model::Phase& phase : schedule) {
    least += phase.traffic.node.messages_count + phase.traffic.network.messages_count;
  }
  return count <= kMaxReadMessages && least <= kMaxListedMessages &&
         !IsDirectExchange(scenario, schedule);
}

// A part of the nodes in use, for a model that prices links. The part of all ranks is those nodes.
// Of a smaller one the list does not say which nodes it has: it differs from the machine's own
// shape as the whole does.
model::Extent PartOnNodes(const model::Extent& part, const model::Extent& shape,
                          const model::Extent& nodes) {
  if (part.processors_count >= shape.processors_count) return {};
  model::Extent here = part;
  here.bisection_links =
      std::max(1.0, part.bisection_links * nodes.bisection_links / shape.bisection_links);
  if (shape.distance_hops > 0) here.distance_hops *= nodes.distance_hops / shape.distance_hops;
  return here;
}

}  // namespace

bool PricesExtent(const model::Model& model) { return &model == &model::C3(); }

model::Extent ExtentOf(const NodesInUse& nodes, int64_t ranks) {
  return {static_cast<double>(ranks), nodes.bisection_links, nodes.distance_links};
}

double ListedMessages(const strategy::Scenario& scenario, const model::Schedule& schedule) {
  return MayList(scenario, schedule) ? std::min(MessageCount(schedule), kMaxListedMessages) : 0;
}

LinkTime LinkTimeOf(const PricedBy& priced_by, const strategy::Scenario& scenario,
                    const model::Schedule& schedule, const NodesInUse& nodes, MessageList list) {
  if (PricesExtent(*priced_by.model) || !JobLinks::Exist(nodes, scenario)) return {};
  const SocketPrices sockets(priced_by, nodes, scenario);
  const JobLinks links(nodes, scenario,
                       {.network_byte_s = LinkByteTime(priced_by, scenario),
                        .socket_byte_s = ByteTime(sockets.AtSockets(), &model::Traffic::node),
                        .socket_hop_s = sockets.are_known() ? 0 : nodes.sockets.hop_time_s});
  StepTimes listed(priced_by, sockets, schedule, scenario, links);
  std::vector<Sent> messages;
  int64_t phase = 0;
  double count = 0;  // of messages in steps that differ
  bool are_few = MayList(scenario, schedule);
  if (are_few) messages.reserve(static_cast<size_t>(MessageCount(schedule)));
  const auto add_phase = [&] {
    if (messages.empty()) return;
    const std::vector<Step> steps = StepsOf(&messages);
    for (const Step& step : steps) count += static_cast<double>(step.messages.size());
    are_few = count <= kMaxListedMessages && count * nodes.distance_links <= kMaxListedLinks;
    if (are_few) listed.AddListed(schedule[static_cast<size_t>(phase)], steps);
    messages.clear();
  };
  const bool have_sockets = JobLinks::HaveSockets(nodes, scenario);
  const auto read = [&](const strategy::Message& message) {
    if (!are_few) return;
    // No link is on its way.
    if (!have_sockets && scenario.NodeOf(message.source) == scenario.NodeOf(message.destination)) {
      return;
    }
    if (message.phase != phase) {
      add_phase();
      phase = message.phase;
    }
    messages.push_back({message.repetition, message.source, message.destination, message.bytes});
  };
  if (are_few) list(read);
  if (are_few) add_phase();
  if (are_few) return listed.time();
  StepTimes evenly(priced_by, sockets, schedule, scenario, links);
  for (const model::Phase& one : schedule) evenly.AddEven(one);
  LinkTime time = evenly.time();
  time.is_even = !IsDirectExchange(scenario, schedule);
  return time;
}

void CopyOnNodes(const PricedBy& priced_by, const strategy::Scenario& scenario,
                 const NodesInUse& nodes, const model::Schedule& schedule, model::Schedule* here) {
  const auto count = static_cast<double>(nodes.node_count);
  const model::Extent crossbar{static_cast<double>(scenario.ranks), std::max(1.0, count / 2),
                               count > 1 ? 1.0 : 0.0};
  const bool prices_extent = PricesExtent(*priced_by.model);
  here->Clear(prices_extent ? ExtentOf(nodes, scenario.ranks) : crossbar);
  for (const model::Phase& phase : schedule) {
    model::Phase& copy = here->Add();
    copy = phase;
    if (!prices_extent || phase.submachine.processors_count == 0) continue;
    copy.submachine = PartOnNodes(phase.submachine, schedule.whole(), here->whole());
  }
}

void AddLinkTime(const LinkTime& links, Prediction* prediction) {
  prediction->cost[model::Term::kLinkCongestion] += links.congestion_s;
  prediction->cost[model::Term::kLatency] += links.latency_s;
  prediction->cost[model::Term::kStartup] += links.socket_startup_s;
  prediction->cost[model::Term::kBandwidth] += links.socket_bandwidth_s;
  const double all_s =
      links.congestion_s + links.latency_s + links.socket_startup_s + links.socket_bandwidth_s;
  if (!links.is_even || !(all_s > 0)) return;
  prediction->guesses_links = true;
  AddCaveat(
      absl::StrFormat(
          "more than %.0f messages in steps that differ, or %.0f links on their ways, or %.0f "
          "messages in all: links are priced as if all pairs of nodes had the same bytes",
          kMaxListedMessages, kMaxListedLinks, kMaxReadMessages),
      prediction);
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
