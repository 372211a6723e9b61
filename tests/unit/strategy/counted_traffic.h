// Traffic counted message by message, only by the definitions of model/traffic.h. Tests compare the
// strategies' closed forms with it.
#ifndef COX_TESTS_UNIT_STRATEGY_COUNTED_TRAFFIC_H_
#define COX_TESTS_UNIT_STRATEGY_COUNTED_TRAFFIC_H_

#include <vector>

#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

struct CountedPhase {
  double times = 0;
  model::Traffic traffic;
};

// The phases of an enumeration. `schedule` only says how each phase's repetitions differ, which the
// messages do not show.
std::vector<CountedPhase> CountTraffic(const Strategy& strategy, const Scenario& scenario,
                                       const model::Schedule& schedule);

}  // namespace cox::strategy

#endif  // COX_TESTS_UNIT_STRATEGY_COUNTED_TRAFFIC_H_
