// The current cells of a machine: those of the present epoch. A scenario without enough
// observations since its last drift has its older cell, scaled by the drift's factor. Pure.
#ifndef COX_DAEMON_LEARNING_CURRENT_CELLS_H_
#define COX_DAEMON_LEARNING_CURRENT_CELLS_H_

#include <vector>

#include "domain/drift.h"
#include "learn/samples.h"
#include "store/records.h"

namespace cox::daemon {

// `cells` and `drifts`: all of one machine, in any order.
std::vector<learn::Cell> CurrentCells(const std::vector<store::CellRecord>& cells,
                                      const std::vector<domain::Drift>& drifts);

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_CURRENT_CELLS_H_
