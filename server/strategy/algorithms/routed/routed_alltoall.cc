#include "strategy/algorithms/routed/routed_alltoall.h"

namespace cox::strategy {

void AddRoutedPhase(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                    bool is_first, model::Schedule* schedule, const model::Extent& submachine) {
  if (exchange.totals().messages == 0) return;
  model::Phase& phase = schedule->Add();
  phase.traffic = TrafficOf(exchange, id, scenario);
  phase.submachine = submachine;
  if (is_first) return;
  phase.work.copied_bytes = phase.work.touched_bytes = phase.traffic.any.out_bytes;
}

}  // namespace cox::strategy
