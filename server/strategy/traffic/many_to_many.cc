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
#include "strategy/catalogue.h"
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

// Routes blocks through the phases of a topology.
class Routing {
 public:
  // `empty` is the schedule of the topology's all-to-all without bytes: its messages are always
  // sent.
  Routing(absl::Span<const Transfer> messages, const Scenario& scenario,
          const model::Schedule& empty, const domain::IsCancelled& is_cancelled)
      : blocks_(messages.begin(), messages.end()), scenario_(scenario), watch_(is_cancelled, 1) {
    for (const Phase& phase : empty) {
      for (double i = 0; i < phase.times; ++i) always_sent_.push_back(&phase.traffic);
    }
  }

  template <typename Topology>
  absl::Status Run(const Topology& topology, model::Schedule* schedule) {
    for (size_t phase = 0; phase < always_sent_.size(); ++phase) {
      if (watch_.IsGone()) return watch_.status();
      std::vector<Transfer> hops;
      for (Transfer& block : blocks_) {
        const int64_t next =
            topology.NextHop(block.source, block.destination, static_cast<int64_t>(phase));
        if (next != block.source) hops.push_back({block.source, next, block.bytes});
        block.source = next;
      }
      const absl::StatusOr<Phase> moved = TrafficOf(Combined(std::move(hops)), scenario_);
      if (!moved.ok()) return moved.status();
      Phase& added = schedule->Add();
      added = *moved;
      const model::Traffic& sent = *always_sent_[phase];
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
  std::vector<Transfer> blocks_;  // source: the current holder
  const Scenario& scenario_;
  domain::CallerWatch watch_;
  std::vector<const model::Traffic*> always_sent_;
};

absl::Status RunRoute(Route route, const Scenario& scenario, int64_t columns, Routing* routing,
                      model::Schedule* schedule) {
  switch (route) {
    case Route::kDirect:
      break;
    case Route::kMesh2d:
      return routing->Run(topology::Mesh2d(scenario.ranks, columns), schedule);
    case Route::kGrid3d:
      return routing->Run(topology::Grid3d(scenario.ranks), schedule);
    case Route::kHypercube:
      return routing->Run(topology::Hypercube(scenario.ranks), schedule);
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
  std::vector<Transfer> large, small;
  for (const Transfer& message : messages) {
    const bool is_large = message.bytes > options.direct_above_bytes;
    if (message.source != message.destination) (is_large ? large : small).push_back(message);
  }
  absl::Status status = BuildPattern(large, scenario, schedule);
  if (!status.ok()) return status;
  if (all->work.copied_bytes > 0) schedule->Add().work = all->work;  // copies of a rank's own block
  if (scenario.ranks == 1) return status;

  Scenario empty_scenario = scenario;
  empty_scenario.collective = domain::Collective::kAlltoall;
  empty_scenario.block_bytes = 0;
  model::Schedule empty;
  const int64_t columns = route == Route::kMesh2d ? options.columns : 0;
  Build({FindAlgorithm(domain::Collective::kAlltoall, RouteName(route)), {.columns = columns}},
        empty_scenario, &empty);
  Routing routing(small, scenario, empty, is_cancelled);
  return RunRoute(route, scenario, columns, &routing, schedule);
}

}  // namespace cox::strategy
