#include "advise/placement/units.h"

#include <cstddef>
#include <cstdint>

namespace cox::advise {
namespace {

std::vector<int64_t> UnitRanks(const NodesInUse& nodes, const strategy::Scenario& scenario) {
  std::vector<int64_t> units;
  const int64_t sockets = nodes.sockets.count;
  if (sockets > 1 && scenario.ppn > sockets && scenario.ppn % sockets == 0) {
    units.push_back(scenario.ppn / sockets);
  }
  for (const int64_t run : nodes.unit_nodes) units.push_back(run * scenario.ppn);
  return units;
}

}  // namespace

void AddUnits(const NodesInUse& nodes, const strategy::Scenario& scenario,
              std::vector<strategy::Strategy>* strategies) {
  const std::vector<int64_t> units = UnitRanks(nodes, scenario);
  for (size_t i = 0, count = strategies->size(); i < count; ++i) {
    const strategy::Strategy plain = (*strategies)[i];
    if (plain.algorithm->knobs != "unit") continue;
    for (const int64_t unit : units) {
      strategy::Strategy of_units = plain;
      of_units.knobs.unit_ranks = unit;
      if (plain.algorithm->applies(scenario, of_units.knobs).ok()) strategies->push_back(of_units);
    }
  }
}

}  // namespace cox::advise
