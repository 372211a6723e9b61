#include "strategy/algorithms/relay.h"

#include <cstdint>

#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"

namespace cox::strategy {
namespace {

int64_t LinksOf(const Relay& relay, int64_t ranks) {
  return ranks == 1 ? 0 : ranks - (relay.comes_home ? 0 : 1);
}

// Links between nodes in one round.
int64_t CrossingOf(const Relay& relay, const Nodes& nodes) {
  if (nodes.count == 1) return 0;
  const bool crosses_home = relay.comes_home && nodes.Of(nodes.ranks - 1) != 0;
  const int64_t onwards = nodes.cyclic ? nodes.ranks - 1 : nodes.count - 1;
  return onwards + (crosses_home ? 1 : 0);
}

}  // namespace

void AddRelay(const Relay& relay, const Scenario& scenario, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const int64_t crossing = CrossingOf(relay, nodes);
  const int64_t staying = LinksOf(relay, nodes.ranks) - crossing;
  const model::LocalWork work{0, relay.reduced_bytes};
  Steps steps(schedule);
  steps.Add({1, 0, 0, 0, true}, relay.bytes, work, static_cast<double>(staying * relay.rounds));
  steps.Add({0, 1, 1, 1, true}, relay.bytes, work, static_cast<double>(crossing * relay.rounds));
}

void EnumerateRelay(const Relay& relay, const Scenario& scenario, MessageSink sink) {
  const Nodes nodes(scenario);
  const int64_t links = LinksOf(relay, nodes.ranks);
  Enumeration out(scenario, sink);
  for (const bool cross : {false, true}) {
    for (int64_t i = 0; i < links * relay.rounds; ++i) {
      const int64_t rank = i % links;
      const int64_t next = (rank + 1) % nodes.ranks;
      if ((nodes.Of(rank) != nodes.Of(next)) != cross) continue;
      out.Send(rank, next, relay.bytes);
      out.EndStep();
    }
  }
}

}  // namespace cox::strategy
