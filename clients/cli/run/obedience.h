// How to see whether an MPI library does what a tuning file says, with nothing but a job: a trap is
// a file that makes calls of some collectives fail, and changes nothing else. A job with calls that
// the trap is for must end in the library's own error; if it passes, the library did not listen.
//
// Open MPI: a rule with a number that no algorithm has, from a size on. MPICH: the built-in tree,
// with another collective's algorithm in the place of the collective's own. Pure, any thread.
#ifndef COX_CLI_RUN_OBEDIENCE_H_
#define COX_CLI_RUN_OBEDIENCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::cli {

// Ranks of every job.
inline constexpr int64_t kTrapRanks = 2;
// A block that no trap by size is for, and one that every trap is for. What cox-bench sends for
// itself is shorter than the latter.
inline constexpr int64_t kFreeBlock_bytes = 1024;
inline constexpr int64_t kTrappedBlock_bytes = 128 << 10;

// The collectives that can be told: those that cox-bench calls. UNIMPLEMENTED for a library that
// nothing is known of how to tell; NOT_FOUND for one that we have never heard of.
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

enum class Obedience { kObeys, kDoesNotObey, kCannotBeTold };

// Of a job with calls that a trap is for, which ended by itself. `said`: all it wrote.
Obedience JudgeTrap(const std::string& library, int exit_code, absl::string_view said);

// "obeys", "does not obey", "cannot be told".
absl::string_view ObedienceName(Obedience obedience);

// What to do about it, one line; empty where all is well.
std::string ObedienceAdvice(const std::string& library, Obedience obedience);

// The library that rows of cox-bench are of; empty where there is no row.
std::string LibraryOfRows(absl::string_view rows);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_OBEDIENCE_H_
