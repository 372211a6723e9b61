// Reads and writes small files as a whole, and makes temporary folders. Errors name the file:
// NOT_FOUND, INVALID_ARGUMENT (too large, a directory), UNKNOWN with the system's message.
#ifndef COX_FILES_FILE_IO_H_
#define COX_FILES_FILE_IO_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox {

inline constexpr size_t kMaxFileBytes = size_t{16} << 20;

// Returns the content of `path`. A file of more than `max_bytes`, whole MiB, is an error.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxFileBytes);
// As ReadFile; "-" reads the standard input.
absl::StatusOr<std::string> ReadFileOrInput(const std::string& path,
                                            size_t max_bytes = kMaxFileBytes);

// Replaces `path` in one step: a reader sees the old content or the new, never a part, and a
// failure leaves the old content. The new content is on the disk before the file gets its name.
// Permissions are a new file's under the umask.
absl::Status ReplaceFile(const std::string& path, absl::string_view content);
// As ReplaceFile for data that can be fetched again: does not wait for the disk. After a power loss
// the file may be empty, which readers must detect. Only the owner may read and write it.
absl::Status ReplaceCached(const std::string& path, absl::string_view content);

// Makes an empty temporary folder below $TMPDIR, else /tmp. Its name begins with "cox-" and
// `purpose`. The caller removes it.
absl::StatusOr<std::string> MakeTemporaryFolder(absl::string_view purpose);

}  // namespace cox

#endif  // COX_FILES_FILE_IO_H_
