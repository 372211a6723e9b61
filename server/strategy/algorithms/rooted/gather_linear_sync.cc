#include "strategy/algorithms/rooted/gather_linear_sync.h"

#include "strategy/algorithms/rooted/star.h"
#include "strategy/traffic/shared_parts.h"

namespace cox::strategy {
namespace {

void AddTurns(const Scenario& scenario, const model::Traffic& traffic, model::Schedule* schedule) {
  model::Phase& phase = schedule->Add();
  phase.traffic = traffic;
  ShareAmong(static_cast<double>(scenario.ranks - 1), &phase);
}

}  // namespace

void BuildGatherLinearSync(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const auto bytes = static_cast<double>(scenario.block_bytes);
  AddTurns(scenario, OneToAll(scenario, scenario.root, 0), schedule);
  AddTurns(scenario, AllToOne(scenario, scenario.root, bytes), schedule);
  AddTurns(scenario, AllToOne(scenario, scenario.root, 0), schedule);
}

void EnumerateGatherLinearSync(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const double bytes_of_phase[] = {0, static_cast<double>(scenario.block_bytes), 0};
  for (int64_t phase = 0; phase < 3; ++phase) {
    const double bytes = bytes_of_phase[phase];
    int64_t turn = 0;
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      if (rank == scenario.root) continue;
      const bool asks = phase == 0;
      sink({phase, turn++, asks ? scenario.root : rank, asks ? rank : scenario.root, bytes});
    }
  }
}

}  // namespace cox::strategy
