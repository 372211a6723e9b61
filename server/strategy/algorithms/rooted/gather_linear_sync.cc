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
  const auto bytes = static_cast<double>(scenario.block_bytes);
  int64_t turn = 0;
  for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
    if (rank == scenario.root) continue;
    sink({0, turn, scenario.root, rank, 0});
    sink({1, turn, rank, scenario.root, bytes});
    sink({2, turn, rank, scenario.root, 0});
    ++turn;
  }
}

}  // namespace cox::strategy
