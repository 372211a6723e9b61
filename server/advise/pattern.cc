#include "advise/pattern.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "model/schedule.h"
#include "strategy/traffic/many_to_many.h"
#include "strategy/traffic/message_patterns.h"
#include "strategy/traffic/part.h"

namespace cox::advise {
namespace {

using strategy::Route;

std::vector<Route> AllRoutes() {
  std::vector<Route> routes;
  routes.reserve(strategy::kRouteCount);
  for (int i = 0; i < strategy::kRouteCount; ++i) routes.push_back(static_cast<Route>(i));
  return routes;
}

absl::StatusOr<std::vector<Route>> ChooseRoutes(const std::vector<std::string>& names) {
  if (names.empty()) return std::vector<Route>{Route::kDirect};
  std::vector<Route> routes;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "all") return AllRoutes();
    const auto route = strategy::ParseRoute(names[i]);
    if (!route.ok()) {
      return domain::InvalidField(absl::StrCat("routes[", i, "]"), route.status().message());
    }
    routes.push_back(*route);
  }
  return routes;
}

}  // namespace

absl::StatusOr<PatternAnswer> EvaluatePattern(const MachineView& machine,
                                              const PatternQuestion& question) {
  const auto routes = ChooseRoutes(question.routes);
  if (!routes.ok()) return routes.status();
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
  for (const Route route : *routes) {
    if (route == Route::kDirect) {
      // Reuses the sums, which saves time with a million messages.
      schedule.Clear(strategy::WholeOf(scenario));
      schedule.Add() = *direct;
    } else if (absl::Status built =
                   strategy::BuildManyToMany(route, question.messages, scenario, {}, &schedule);
               !built.ok()) {
      return built;
    }
    for (const PricedBy& priced_by : *models) {
      answer.predictions.push_back(
          Price(priced_by, std::string(strategy::RouteName(route)), schedule));
    }
  }
  return answer;
}

}  // namespace cox::advise
