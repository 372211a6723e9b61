// Batcher's bitonic sort of n keys, n / p on each of p = 2^d ranks: a local sort, then d (d + 1) /
// 2 times an exchange of all keys with a partner and a merge (section 4.2, Table III). An operation
// is a key handled: by the merge, or by a pass of the local sort.
#include "strategy/kernels/programs.h"
#include "strategy/kernels/ranks.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

// All keys are one message, or each is a message.
void BuildSort(const KernelScenario& scenario, bool words, model::Schedule* schedule) {
  const auto p = static_cast<double>(scenario.ranks);
  const double keys = static_cast<double>(scenario.n) / p;
  AddWork(RadixSortOperations(keys), schedule);
  if (scenario.ranks == 1) return;
  const auto d = static_cast<double>(CeilLog2(scenario.ranks));
  AddSuperstep(scenario, d * (d + 1) / 2, Balanced(p, words ? keys : 1, keys), keys, schedule);
}

}  // namespace

absl::Status BitonicSortApplies(const KernelScenario& scenario) {
  if (!topology::IsPowerOfTwo(scenario.ranks))
    return Needs("a power of two of ranks", scenario.ranks);
  return NeedsMultiple(scenario.n, scenario.ranks);
}

void BuildBitonicSort(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildSort(scenario, false, schedule);
}

void BuildBitonicSortWords(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildSort(scenario, true, schedule);
}

}  // namespace cox::strategy
