// What the store says in errors and in the audit, whichever engine stores it.
//
// Thread rule: pure. Failure rule: cannot fail.
#ifndef COX_STORE_WORDS_H_
#define COX_STORE_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/request.h"

namespace cox::store {

// NOT_FOUND.
absl::Status UnknownMachine(absl::string_view name);
absl::Status UnknownRevision(absl::string_view machine, int64_t revision);
absl::Status UnknownDeletedMachine(absl::string_view name);

// ABORTED.
absl::Status RefinedAnother(absl::string_view machine, int64_t refined, int64_t active);
absl::Status AnotherLearns(absl::string_view machine);

// ALREADY_EXISTS.
absl::Status KnownMachine(absl::string_view name);
absl::Status NameIsTaken(absl::string_view name);
// `method`, `subject`: of the request that had the id before.
absl::Status RequestIdIsUsed(const Request& request, absl::string_view method,
                             absl::string_view subject);

// What an audit record says of changed switches.
inline constexpr absl::string_view kSwitchesChanged = "switches";

// What an audit record says of a new machine.
std::string MachineWords(const MachineRecord& machine);

// What an audit record says of a machine that somebody deletes or brings back.
std::string ContentWords(const ObservationCount& count);

// The audit records of a forgotten reporter: one for each machine, so that each machine's audit is
// complete; one without a machine if it had reported nothing.
std::vector<AuditRecord> ForgottenAudit(const Actor& actor, const Reporter& reporter,
                                        const Forgotten& forgotten, int64_t time_us);

// An audit record for each machine of an import, with the number of its observations. None if the
// actor is the daemon itself.
std::vector<AuditRecord> ImportAudit(const ObservationBatch& batch, int64_t time_us);

}  // namespace cox::store

#endif  // COX_STORE_WORDS_H_
