// Machines with what has happened to them. No transaction of its own: callers hold a snapshot.
//
// Thread rule: the connection's. Failure rule: as store.h says for ListMachineStates.
#ifndef COX_STORE_SQLITE_VIEWS_MACHINE_STATES_H_
#define COX_STORE_SQLITE_VIEWS_MACHINE_STATES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/history.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Cost: with reports, for each machine the rows of its jobs in report_count, however many
// observations it has; without, for each machine a look.
absl::StatusOr<std::vector<MachineState>> ReadMachineStates(Database& db, absl::string_view after,
                                                            int64_t limit, StateDetail detail);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_VIEWS_MACHINE_STATES_H_
