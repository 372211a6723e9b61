// Converts the store's cells and observations for learning. Pure, any thread.
#ifndef COX_DAEMON_LEARNING_CONVERT_CELLS_H_
#define COX_DAEMON_LEARNING_CONVERT_CELLS_H_

#include "learn/robust_location.h"
#include "learn/samples.h"
#include "store/records.h"

namespace cox::daemon {

// The centre and spread of a cell's times; cell.observation_count > 0.
learn::RobustLocation LocationOf(const store::Cell& cell);

// record.cell.observation_count > 0.
learn::Cell ToCell(const store::CellRecord& record);
learn::Cell ToCell(const store::ObservationRecord& record);

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_CONVERT_CELLS_H_
