#include "advise/pattern.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "advise/placement/link_time.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "model/schedule.h"
#include "strategy/traffic/many_to_many.h"
#include "strategy/traffic/message_patterns.h"
#include "strategy/traffic/part.h"
#include "topology/virtual_topology.h"

namespace cox::advise {
namespace {

using strategy::Route;

// A route as asked for, and its name in the answer.
struct Way {
  Route route;
  strategy::ManyToManyOptions options;
  std::string name;
};

constexpr absl::string_view kDirectAbove = "direct_above";
constexpr absl::string_view kColumns = "columns";

absl::StatusOr<Way> ParseWay(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('?', 1));
  const auto route = strategy::ParseRoute(parts.first);
  if (!route.ok()) return route.status();
  Way way{*route, {}, std::string(text)};
  if (parts.second.empty()) return way;
  for (const absl::string_view knob : absl::StrSplit(parts.second, '&')) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(knob, absl::MaxSplits('=', 1));
    const bool is_size = sides.first == kDirectAbove && *route != Route::kDirect &&
                         absl::SimpleAtod(sides.second, &way.options.direct_above_bytes) &&
                         way.options.direct_above_bytes >= 0;
    const bool is_columns = sides.first == kColumns && *route == Route::kMesh2d &&
                            absl::SimpleAtoi(sides.second, &way.options.columns) &&
                            way.options.columns >= 2;
    if (is_size || is_columns) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", text,
        "\": a route but direct takes direct_above, a size in bytes; mesh2d also takes "
        "columns, a number from 2 on"));
  }
  return way;
}

// The hops of a block on its way.
double HopsOf(Route route, int64_t ranks) {
  if (route == Route::kMesh2d) return 2;
  if (route == Route::kGrid3d) return 3;
  return route == Route::kHypercube ? std::log2(static_cast<double>(std::max<int64_t>(ranks, 2)))
                                    : 1;
}

// The columns of the mesh that lies on the machine's nodes; 0: that is the square one, or a mesh
// with a single row or column.
int64_t ColumnsByNode(const strategy::Scenario& scenario) {
  const int64_t columns =
      scenario.placement == strategy::Placement::kBlock ? scenario.ppn : scenario.node_count();
  const bool is_mesh = columns > 1 && scenario.node_count() > 1 && columns < scenario.ranks;
  return is_mesh && columns != topology::Mesh2d(scenario.ranks).columns ? columns : 0;
}

// All routes, with the mesh on the machine's nodes; and, of patterns with long and short messages,
// those that send the long ones directly.
std::vector<Way> AllWays(const MachineView& machine, const PatternQuestion& question) {
  std::vector<Way> ways;
  for (int i = 0; i < strategy::kRouteCount; ++i) {
    const auto route = static_cast<Route>(i);
    ways.push_back({route, {}, std::string(strategy::RouteName(route))});
  }
  if (const int64_t columns = ColumnsByNode(question.scenario); columns > 0) {
    Way by_node{Route::kMesh2d, {}, absl::StrCat("mesh2d?", kColumns, "=", columns)};
    by_node.options.columns = columns;
    ways.push_back(by_node);
  }
  const auto* alpha = machine.profile.Find("hockney", domain::Level::kNetwork, "alpha");
  const auto* beta = machine.profile.Find("hockney", domain::Level::kNetwork, "beta");
  if (alpha == nullptr || beta == nullptr || question.messages.empty()) return ways;
  const auto [shortest, longest] = std::minmax_element(
      question.messages.begin(), question.messages.end(),
      [](const model::Transfer& a, const model::Transfer& b) { return a.bytes < b.bytes; });
  for (size_t i = 0, count = ways.size(); i < count; ++i) {
    Way way = ways[i];
    if (way.route == Route::kDirect) continue;
    const double limit = std::floor(strategy::CombiningLimitBytes(
        alpha->value, beta->value, HopsOf(way.route, question.scenario.ranks)));
    if (shortest->bytes > limit || longest->bytes <= limit) continue;
    way.options.direct_above_bytes = limit;
    absl::StrAppend(&way.name, way.options.columns > 0 ? "&" : "?",
                    absl::StrFormat("%s=%.0f", kDirectAbove, limit));
    ways.push_back(way);
  }
  return ways;
}

absl::StatusOr<std::vector<Way>> ChooseWays(const MachineView& machine,
                                            const PatternQuestion& question) {
  const std::vector<std::string>& names = question.routes;
  if (names.empty()) return std::vector<Way>{{Route::kDirect, {}, "direct"}};
  std::vector<Way> ways;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "all") return AllWays(machine, question);
    auto way = ParseWay(names[i]);
    if (!way.ok()) {
      return domain::InvalidField(absl::StrCat("routes[", i, "]"), way.status().message());
    }
    ways.push_back(*std::move(way));
  }
  return ways;
}

}  // namespace

model::Cost PriceDirect(const PricedBy& priced_by, const model::Schedule& schedule,
                        absl::Span<const model::Transfer> messages, bool* is_listed) {
  std::optional<model::Cost> listed;
  if (messages.size() <= static_cast<size_t>(kListedMessages)) {
    listed = priced_by.model->PriceListed(*priced_by.values, schedule, messages);
  }
  if (is_listed != nullptr) *is_listed = listed.has_value();
  return listed.has_value() ? *listed : priced_by.model->Price(*priced_by.values, schedule);
}

absl::StatusOr<PatternAnswer> EvaluatePattern(const MachineView& machine,
                                              const PatternQuestion& question,
                                              const domain::IsCancelled& is_cancelled) {
  const auto ways = ChooseWays(machine, question);
  if (!ways.ok()) return ways.status();
  const auto models = ModelsFor(machine, question.model);
  if (!models.ok()) return models.status();
  strategy::Scenario scenario = question.scenario;
  scenario.shape = &machine.profile.shape;

  PatternAnswer answer;
  const auto direct = strategy::TrafficOf(question.messages, scenario);
  if (!direct.ok()) return direct.status();
  const model::Traffic& traffic = direct->traffic;
  answer.volume_bytes = traffic.node.volume_bytes + traffic.network.volume_bytes;
  answer.pairs_count = traffic.node.pairs_count + traffic.network.pairs_count;
  answer.busiest = traffic.any;
  model::Schedule schedule;
  domain::CallerWatch watch(is_cancelled, 1);
  model::Schedule on_nodes;
  for (const Way& way : *ways) {
    const bool is_direct = way.route == Route::kDirect;
    if (is_direct) {
      // Reuses the sums, which saves time with a million messages.
      schedule.Clear(strategy::WholeOf(scenario));
      schedule.Add() = *direct;
    } else if (absl::Status built = strategy::BuildManyToMany(
                   way.route, question.messages, scenario, way.options, &schedule, is_cancelled);
               !built.ok()) {
      return built;
    }
    const auto list = [&](strategy::MessageSink sink) {
      strategy::EnumerateManyToMany(way.route, question.messages, scenario, way.options, sink);
    };
    for (const PricedBy& priced_by : *models) {
      if (watch.IsGone()) return watch.status();
      if (question.nodes != nullptr) {
        CopyOnNodes(priced_by, scenario, *question.nodes, schedule, &on_nodes);
      }
      const model::Schedule& here = question.nodes != nullptr ? on_nodes : schedule;
      Prediction prediction = Price(priced_by, way.name, here);
      if (is_direct) prediction.cost = PriceDirect(priced_by, here, question.messages);
      if (question.nodes != nullptr) {
        AddLinkTime(LinkTimeOf(priced_by, scenario, here, *question.nodes, list), &prediction);
      }
      answer.predictions.push_back(std::move(prediction));
    }
  }
  return answer;
}

}  // namespace cox::advise
