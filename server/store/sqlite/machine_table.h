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
#include "store/limits.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// NOT_FOUND names the machine.
absl::StatusOr<int64_t> FindMachineId(Database& db, absl::string_view name);

// ALREADY_EXISTS names the machine.
absl::Status InsertMachine(Database& db, const MachineRecord& machine);
// Notes that the database has been given this published machine; false if that was noted before.
absl::StatusOr<bool> NotePublishedMachine(Database& db, absl::string_view name);
absl::StatusOr<MachineRecord> ReadMachine(Database& db, absl::string_view name);
absl::StatusOr<std::vector<MachineRecord>> ReadMachines(Database& db, absl::string_view after,
                                                        int64_t limit);

// What is known of the machine's switches, as text; "": nothing. NOT_FOUND names the machine.
absl::Status WriteSwitches(Database& db, absl::string_view machine, absl::string_view text,
                           int64_t now_us);
absl::StatusOr<std::string> ReadSwitches(Database& db, absl::string_view machine);

// Deletion has two parts, so that a machine can be brought back, and that no write ever waits for
// millions of rows to go: a machine loses its name, which hides it and all that belongs to it, and
// when it has rested for kDeletedRestUs, its rows go, step by step.
absl::Status HideMachine(Database& db, absl::string_view name, int64_t now_us);
// The machine of this name that was deleted last gets it back. NOT_FOUND if there is none that
// still rests; ALREADY_EXISTS if another machine has the name now. The two do not change places:
// learners know a machine by its name and would go on with what they have of the other one.
absl::Status ShowMachine(Database& db, absl::string_view name, int64_t now_us);
// Whether a machine has rested long enough.
absl::StatusOr<bool> HasDueMachine(Database& db, int64_t now_us);
// Removes at most some thousand observations of a machine that is due, or the rest of it. False:
// nothing was left.
absl::StatusOr<bool> PurgeStep(Database& db, int64_t now_us);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_MACHINE_TABLE_H_
