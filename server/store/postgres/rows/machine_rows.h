// The rows of machines. No transaction of its own.
//
// Thread rule: the session's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_POSTGRES_ROWS_MACHINE_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_MACHINE_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

// NOT_FOUND names the machine.
absl::StatusOr<int64_t> FindMachineId(Session& session, absl::string_view name);

// ALREADY_EXISTS names the machine.
absl::Status InsertMachine(Session& session, const MachineRecord& machine);
// Notes that the database has been given this published machine; false if that was noted before.
absl::StatusOr<bool> NotePublishedMachine(Session& session, absl::string_view name);
absl::StatusOr<MachineRecord> ReadMachine(Session& session, absl::string_view name);
absl::StatusOr<std::vector<MachineRecord>> ReadMachines(Session& session, absl::string_view after,
                                                        int64_t limit);

// What is known of the machine's switches, as text; "": nothing. NOT_FOUND names the machine.
absl::Status WriteSwitches(Session& session, absl::string_view machine, absl::string_view text,
                           int64_t now_us);
absl::StatusOr<std::string> ReadSwitches(Session& session, absl::string_view machine);

// Takes the machine's name away, which hides it and all that belongs to it; when it has rested for
// kDeletedRestUs, PurgeStep() removes its rows.
absl::Status HideMachine(Session& session, absl::string_view name, int64_t now_us);
// The machine of this name that was deleted last gets it back. NOT_FOUND if there is none that
// still rests; ALREADY_EXISTS if another machine has the name now. The two do not change places:
// learners know a machine by its name and would go on with what they have of the other one.
absl::Status ShowMachine(Session& session, absl::string_view name, int64_t now_us);
// Removes at most kPurgeRows observations of a machine that is due, or the rest of it. False:
// nothing was left.
absl::StatusOr<bool> PurgeStep(Session& session, int64_t now_us);

// Says that rows changed of which daemons have copies: their ids, or the epochs of cells.
absl::Status NoteRewrite(Session& session);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_MACHINE_ROWS_H_
