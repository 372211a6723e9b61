// Whole small files, and folders for a while. Failures name the file: NOT_FOUND, INVALID_ARGUMENT
// (too large, a directory), UNKNOWN with the system's words.
#ifndef COX_FILES_FILE_IO_H_
#define COX_FILES_FILE_IO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox {

// The content of `path`, at most 16 MiB.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// The same; "-" is the standard input.
absl::StatusOr<std::string> ReadFileOrInput(const std::string& path);

// Replaces `path` in one step: a reader sees the old content or the new one, never a part, and a
// failure leaves the old one. The content is on the disk before it takes the name. Its permissions
// are those of a new file under the umask, which is not touched: it is the whole process's.
absl::Status ReplaceFile(const std::string& path, absl::string_view content);
// The same for what can be had again: does not wait for the disk. After a power loss the file may
// be empty, so whoever reads it has to notice.
absl::Status ReplaceCached(const std::string& path, absl::string_view content);

// A new, empty folder for what passes, below $TMPDIR or else /tmp: its name begins with "cox-" and
// `purpose`. The caller removes it.
absl::StatusOr<std::string> MakeTemporaryFolder(absl::string_view purpose);

}  // namespace cox

#endif  // COX_FILES_FILE_IO_H_
