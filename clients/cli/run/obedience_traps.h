// Tests by running jobs whether an MPI library does what a tuning file says. A trap is a tuning
// file that makes the calls of some collectives fail and changes nothing else. A job with such
// calls must end in the library's own error. If it passes, the library ignores the file.
//
// Open MPI's trap is a rule with the number of no algorithm, from a size on. MPICH's is the
// built-in tree with another collective's algorithm. Pure, any thread.
#ifndef COX_CLI_RUN_OBEDIENCE_TRAPS_H_
#define COX_CLI_RUN_OBEDIENCE_TRAPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::cli {

// Ranks of every job.
inline constexpr int64_t kTrapRanks = 2;
// A block below every trap by size, and one that meets every trap. cox-bench's own messages are
// shorter than the latter.
inline constexpr int64_t kFreeBlock_bytes = 1024;
inline constexpr int64_t kTrappedBlock_bytes = 128 << 10;

// The collectives that have a trap: those that cox-bench calls. UNIMPLEMENTED for a library without
// traps; NOT_FOUND for an unknown one.
absl::StatusOr<std::vector<std::string>> TrapCollectives(const std::string& library);

// Whether a trap leaves small messages alone.
bool TrapsBySize(const std::string& library);

// The file's text with traps for `collectives`; none: a sound file that changes nothing. Of a
// library that TrapCollectives() knows.
absl::StatusOr<std::string> TrapText(const std::string& library,
                                     const std::vector<std::string>& collectives);

// What makes the library read `file`.
std::map<std::string, std::string> TrapVariables(const std::string& library,
                                                 const std::string& file);

enum class Obedience { kObeys, kDoesNotObey, kUnclear };

// Judges a job that met its trap and ended by itself. `said`: all of its output.
Obedience JudgeTrap(const std::string& library, int exit_code, absl::string_view said);

// "obeys", "does not obey", "unclear".
absl::string_view ObedienceName(Obedience obedience);

// What to do about it, one line; empty where all is well.
std::string ObedienceAdvice(const std::string& library, Obedience obedience);

// The library that rows of cox-bench are of; empty where there is no row.
std::string LibraryOfRows(absl::string_view rows);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_OBEDIENCE_TRAPS_H_
