// What is known of a machine's scenarios now: the cells of the present epoch, and in place of those
// that nobody has measured again since a drift, the older ones as the drift has left them. Pure.
#ifndef COX_DAEMON_CURRENT_CELLS_H_
#define COX_DAEMON_CURRENT_CELLS_H_

#include <vector>

#include "domain/drift.h"
#include "learn/samples.h"
#include "store/records.h"

namespace cox::daemon {

// `cells`: all of a machine; `drifts`: all of it, in any order.
std::vector<learn::Cell> CurrentCells(const std::vector<store::CellRecord>& cells,
                                      const std::vector<domain::Drift>& drifts);

}  // namespace cox::daemon

#endif  // COX_DAEMON_CURRENT_CELLS_H_
