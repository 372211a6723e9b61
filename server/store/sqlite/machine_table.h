// The rows of machines. Reads and writes on the given connection; no transaction of its
// own.
//
// Thread rule: the connection's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_SQLITE_MACHINE_TABLE_H_
#define COX_STORE_SQLITE_MACHINE_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// INVALID_ARGUMENT for a record that the store refuses.
absl::Status CheckMachine(const MachineRecord& machine);

// NOT_FOUND names the machine.
absl::StatusOr<int64_t> FindMachineId(Database& db, absl::string_view name);

// ALREADY_EXISTS names the machine.
absl::Status InsertMachine(Database& db, const MachineRecord& machine);
// Notes that the database has been given this published machine; false if that was noted before.
absl::StatusOr<bool> NotePublishedMachine(Database& db, absl::string_view name);
absl::StatusOr<MachineRecord> ReadMachine(Database& db, absl::string_view name);
absl::StatusOr<std::vector<MachineRecord>> ReadMachines(Database& db, absl::string_view after,
                                                        int64_t limit);

// Deletion has two parts, so that no write ever waits for millions of rows to go: a machine loses
// its name, which hides it and all that belongs to it, and later its rows go, step by step.
absl::Status HideMachine(Database& db, absl::string_view name);
// False: no hidden machine is left.
absl::StatusOr<bool> HasHiddenMachine(Database& db);
// Removes at most some thousand observations, or the rest of one machine. False: nothing was left.
absl::StatusOr<bool> PurgeStep(Database& db);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_MACHINE_TABLE_H_
