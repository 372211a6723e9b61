// A multigrid solver that is parallel in time: a rank has one plane of n x n points for each of p
// time levels. An operation is an update of a point.
#include <bit>
#include <cstdint>

#include "strategy/kernels/programs.h"
#include "strategy/kernels/ranks.h"

namespace cox::strategy {

absl::Status MultigridApplies(const KernelScenario& scenario) {
  if (std::has_single_bit(static_cast<uint64_t>(scenario.n))) return absl::OkStatus();
  return Needs("a power of two of points on a side", scenario.n);
}

// A V-cycle: down from n x n points to one, each grid a quarter of the one before, and up again. On
// each grid a rank updates its plane and passes it on to the next time level, whose equations need
// it. The first rank only sends and the last only receives (I. Stoica, F. Sultan, D. Keyes,
// "Evaluating the hyperbolic model on a variety of architectures", 1996, section 4 and Table 1).
void BuildMultigrid(const KernelScenario& scenario, model::Schedule* schedule) {
  const auto pairs = static_cast<double>(scenario.ranks - 1);
  for (int64_t side = scenario.n; side >= 1; side /= 2) {
    const double points = static_cast<double>(side) * static_cast<double>(side);
    const double visits = side == 1 ? 1 : 2;
    if (scenario.ranks == 1) {
      AddWork(visits * points, schedule);
      continue;
    }
    const Relation planes = {1, 1, points, points, pairs, pairs * points, scenario.ranks == 2};
    AddSuperstep(scenario, visits, planes, points, schedule);
  }
}

}  // namespace cox::strategy
