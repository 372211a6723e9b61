// The window of a gather that a machine's buffer allows. Pure, any thread.
#ifndef COX_ADVISE_GATHER_WINDOW_H_
#define COX_ADVISE_GATHER_WINDOW_H_

#include <cstdint>

#include "advise/machine_view.h"
#include "strategy/scenario.h"

namespace cox::advise {

// The window that the cluster model's parameters give (Tam and Wang, Eqs. (5) to (7)); 0 on
// machines without these parameters.
int64_t GatherWindow(const MachineView& machine, const strategy::Scenario& scenario);

}  // namespace cox::advise

#endif  // COX_ADVISE_GATHER_WINDOW_H_
