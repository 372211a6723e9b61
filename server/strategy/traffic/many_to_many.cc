#include "strategy/traffic/many_to_many.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "strategy/traffic/message_patterns.h"
#include "topology/virtual_topology.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::Phase;
using model::RankTraffic;
using model::Transfer;

constexpr absl::string_view kNames[kRouteCount] = {"direct", "mesh2d", "grid3d", "hypercube"};

// Joins the messages of a pair into one, in order of the pairs.
std::vector<Transfer> Combined(std::vector<Transfer> messages) {
  std::sort(messages.begin(), messages.end(), [](const Transfer& a, const Transfer& b) {
    return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
  });
  size_t count = 0;
  for (const Transfer& message : messages) {
    if (count > 0 && messages[count - 1].source == message.source &&
        messages[count - 1].destination == message.destination) {
      messages[count - 1].bytes += message.bytes;
    } else {
      messages[count++] = message;
    }
  }
  messages.resize(count);
  return messages;
}

// Copies the message counts of a phase, which do not depend on the contents.
void TakeCounts(const RankTraffic& from, RankTraffic* to) {
  to->sends_count = from.sends_count;
  to->receives_count = from.receives_count;
}
void TakeCounts(const LevelTraffic& from, LevelTraffic* to) {
  TakeCounts(static_cast<const RankTraffic&>(from), static_cast<RankTraffic*>(to));
  to->pairs_count = from.pairs_count;
  to->messages_count = from.messages_count;
}

// Moves blocks by one phase of a topology. Returns the messages that carry them.
template <typename Topology>
std::vector<Transfer> MoveBlocks(const Topology& topology, int64_t phase,
                                 std::vector<Transfer>* blocks) {
  std::vector<Transfer> hops;
  for (Transfer& block : *blocks) {  // source: the current holder
    const int64_t next = topology.NextHop(block.source, block.destination, phase);
    if (next != block.source) hops.push_back({block.source, next, block.bytes});
    block.source = next;
  }
  return Combined(std::move(hops));
}

// The all-to-all of a route without bytes: its messages are always sent.
struct EmptyExchange {
  EmptyExchange(Route route, const Scenario& of, int64_t mesh_columns)
      : scenario(of),
        strategy{FindAlgorithm(domain::Collective::kAlltoall, RouteName(route)),
                 {.columns = route == Route::kMesh2d ? mesh_columns : 0}} {
    scenario.collective = domain::Collective::kAlltoall;
    scenario.block_bytes = 0;
    Build(strategy, scenario, &schedule);
  }

  Scenario scenario;
  Strategy strategy;
  model::Schedule schedule;
};

// Messages on their own way, and those that are combined.
struct Sorted {
  Sorted(absl::Span<const Transfer> messages, double direct_above_bytes) {
    for (const Transfer& message : messages) {
      if (message.source == message.destination) continue;
      (message.bytes > direct_above_bytes ? large : small).push_back(message);
    }
  }

  std::vector<Transfer> large;
  std::vector<Transfer> small;
};

// Lists blocks on their way through the phases of a topology.
class Listing {
 public:
  Listing(std::vector<Transfer> blocks, int64_t first_phase, MessageSink sink)
      : blocks_(std::move(blocks)), first_phase_(first_phase), sink_(sink) {}

  template <typename Topology>
  absl::Status Run(const Topology& topology, const EmptyExchange& empty) {
    std::vector<std::vector<Message>> always_sent;
    std::vector<size_t> first_of;  // step of each phase of the exchange
    for (const Phase& phase : empty.schedule) {
      first_of.push_back(always_sent.size());
      always_sent.resize(always_sent.size() + static_cast<size_t>(phase.times));
    }
    empty.strategy.algorithm->enumerate(
        empty.scenario, empty.strategy.knobs, [&](const Message& message) {
          const size_t step = first_of[static_cast<size_t>(message.phase)] +
                              static_cast<size_t>(message.repetition);
          always_sent[step].push_back(message);
        });
    for (size_t step = 0; step < always_sent.size(); ++step) {
      const int64_t phase = first_phase_ + static_cast<int64_t>(step);
      std::vector<Transfer> hops = MoveBlocks(topology, static_cast<int64_t>(step), &blocks_);
      // Those that carry no block are sent, too.
      for (const Message& one : always_sent[step]) hops.push_back({one.source, one.destination, 0});
      for (const Transfer& hop : Combined(std::move(hops))) {
        sink_({phase, 0, hop.source, hop.destination, hop.bytes});
      }
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Transfer> blocks_;
  const int64_t first_phase_;
  const MessageSink sink_;
};

// Routes blocks through the phases of a topology.
class Routing {
 public:
  Routing(std::vector<Transfer> blocks, const Scenario& scenario,
          const domain::IsCancelled& is_cancelled, model::Schedule* schedule)
      : blocks_(std::move(blocks)),
        scenario_(scenario),
        schedule_(schedule),
        watch_(is_cancelled, 1) {}

  template <typename Topology>
  absl::Status Run(const Topology& topology, const EmptyExchange& empty) {
    std::vector<const model::Traffic*> always_sent;
    for (const Phase& phase : empty.schedule) {
      for (double i = 0; i < phase.times; ++i) always_sent.push_back(&phase.traffic);
    }
    for (size_t phase = 0; phase < always_sent.size(); ++phase) {
      if (watch_.IsGone()) return watch_.status();
      const absl::StatusOr<Phase> moved =
          TrafficOf(MoveBlocks(topology, static_cast<int64_t>(phase), &blocks_), scenario_);
      if (!moved.ok()) return moved.status();
      Phase& added = schedule_->Add();
      added = *moved;
      const model::Traffic& sent = *always_sent[phase];
      TakeCounts(sent.node, &added.traffic.node);
      TakeCounts(sent.network, &added.traffic.network);
      TakeCounts(sent.any, &added.traffic.any);
      added.traffic.disjoint = sent.disjoint;
      // Copies blocks of other ranks; in the first phase all blocks are the sender's own.
      if (phase > 0) added.work.copied_bytes = added.traffic.any.out_bytes;
      added.work.touched_bytes = added.work.copied_bytes;
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Transfer> blocks_;
  const Scenario& scenario_;
  model::Schedule* schedule_;
  domain::CallerWatch watch_;
};

// Runs a Routing or a Listing on the route's topology.
template <typename Runner>
absl::Status RunRoute(Route route, const Scenario& scenario, int64_t columns, Runner* runner) {
  const EmptyExchange empty(route, scenario, columns);
  switch (route) {
    case Route::kDirect:
      break;
    case Route::kMesh2d:
      return runner->Run(topology::Mesh2d(scenario.ranks, columns), empty);
    case Route::kGrid3d:
      return runner->Run(topology::Grid3d(scenario.ranks), empty);
    case Route::kHypercube:
      return runner->Run(topology::Hypercube(scenario.ranks), empty);
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view RouteName(Route route) { return kNames[static_cast<size_t>(route)]; }

absl::StatusOr<Route> ParseRoute(absl::string_view name) {
  std::string known;
  for (int i = 0; i < kRouteCount; ++i) {
    if (kNames[i] == name) return static_cast<Route>(i);
    absl::StrAppend(&known, known.empty() ? "" : ", ", kNames[i]);
  }
  return domain::InvalidField("routes", absl::StrCat("\"", name, "\" is not one of ", known));
}

absl::Status BuildManyToMany(Route route, absl::Span<const model::Transfer> messages,
                             const Scenario& scenario, const ManyToManyOptions& options,
                             model::Schedule* schedule, const domain::IsCancelled& is_cancelled) {
  if (route == Route::kDirect) return BuildPattern(messages, scenario, schedule);
  if (std::isnan(options.direct_above_bytes) || options.direct_above_bytes < 0) {
    return domain::InvalidField("direct_above_bytes",
                                absl::StrCat(options.direct_above_bytes, " is not a size"));
  }
  if (options.columns < 0 || options.columns == 1) {
    return domain::InvalidField("columns",
                                absl::StrCat(options.columns, " is not a number from 2 on"));
  }
  // Checks all messages and the scenario.
  const absl::StatusOr<Phase> all = TrafficOf(messages, scenario);
  if (!all.ok()) return all.status();
  Sorted sorted(messages, options.direct_above_bytes);
  absl::Status status = BuildPattern(sorted.large, scenario, schedule);
  if (!status.ok()) return status;
  if (all->work.copied_bytes > 0) schedule->Add().work = all->work;  // copies of a rank's own block
  if (scenario.ranks == 1) return status;
  Routing routing(std::move(sorted.small), scenario, is_cancelled, schedule);
  return RunRoute(route, scenario, options.columns, &routing);
}

void EnumerateManyToMany(Route route, absl::Span<const model::Transfer> messages,
                         const Scenario& scenario, const ManyToManyOptions& options,
                         MessageSink sink) {
  const bool is_direct = route == Route::kDirect;
  Sorted sorted(messages, is_direct ? -1 : options.direct_above_bytes);
  for (const Transfer& one : sorted.large) sink({0, 0, one.source, one.destination, one.bytes});
  if (is_direct || scenario.ranks == 1) return;
  const bool copies_own = std::any_of(messages.begin(), messages.end(), [](const Transfer& one) {
    return one.source == one.destination && one.bytes > 0;
  });
  const int64_t first_phase = (sorted.large.empty() ? 0 : 1) + (copies_own ? 1 : 0);
  Listing listing(std::move(sorted.small), first_phase, sink);
  RunRoute(route, scenario, options.columns, &listing).IgnoreError();  // a listing does not fail
}

}  // namespace cox::strategy
