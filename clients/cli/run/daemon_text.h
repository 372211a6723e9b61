// Decides whether a tuning text from a daemon may reach a job. Anybody may listen where coxd is
// expected, so the text is hostile until it is checked: a variable of an MPI library can load
// foreign code, and a bad rule aborts the job. Pure, any thread.
#ifndef COX_CLI_RUN_DAEMON_TEXT_H_
#define COX_CLI_RUN_DAEMON_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "library/algorithm.h"

namespace cox::cli {

// More than any library's text takes.
inline constexpr size_t kMaxTextBytes = size_t{1} << 20;

// OK if Coxswain's own writer for that library and format could have written `text`: at most
// kMaxTextBytes of printable text, sound by the check of `cox tune --check`, and in `export` lines
// only the variables that choose algorithms, with their values. `format` is the format's name,
// "file" for the library's first file format, "" for its first format. INVALID_ARGUMENT says what
// is wrong.
absl::Status CheckDaemonText(absl::string_view library, absl::string_view format,
                             absl::string_view text, const library::Assumptions& assume);

// Whether the writers of `library` set the variable `name` to `value`. A value that only the
// library's check can judge (of Intel MPI and UCC) passes here.
bool IsWrittenSetting(absl::string_view library, absl::string_view name, absl::string_view value);

// Whether the variable `name` tunes a library of `mpi` ("openmpi" or "mpich" with its descendants):
// writers set it, or it names the file that they write. Under any name that the library reads.
bool SetsAlgorithms(absl::string_view mpi, absl::string_view name);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_DAEMON_TEXT_H_
