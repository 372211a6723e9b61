// Converts the store's records of a machine for the models. Any thread.
#ifndef COX_DAEMON_STORED_PROFILE_H_
#define COX_DAEMON_STORED_PROFILE_H_

#include "domain/profile.h"
#include "domain/shape.h"
#include "store/records.h"

namespace cox::daemon {

// An unknown topology counts as a crossbar.
domain::Shape ShapeOf(const store::MachineRecord& record);

// Without the machine's shape, and with at most model::kMaxPieces pieces of a parameter.
domain::Profile ProfileOf(const store::ProfileRecord& record);

}  // namespace cox::daemon

#endif  // COX_DAEMON_STORED_PROFILE_H_
