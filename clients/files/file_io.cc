#include "files/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "files/replacement.h"
#include "files/system_error.h"

namespace cox {
namespace {

constexpr mode_t kForUsers = 0666;
constexpr mode_t kForOwner = 0600;

// Reads to the end; `path` is for messages.
absl::StatusOr<std::string> ReadAll(int descriptor, absl::string_view path, size_t max_bytes) {
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EISDIR) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory; name a file"));
    }
    if (got < 0) return SystemError(path, errno);
    if (got == 0) return content;
    content.append(buffer, got);
    if (content.size() > max_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": is larger than ", max_bytes >> 20, " MiB; is it the right file?"));
    }
  }
}

absl::Status Replace(const std::string& path, absl::string_view content, mode_t permissions,
                     bool waits_for_disk) {
  Replacement replacement;
  absl::Status status = replacement.Begin(path, permissions);
  if (status.ok()) status = replacement.Write(content);
  return status.ok() ? replacement.Finish(waits_for_disk) : status;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError(path, errno);
  const absl::Cleanup close_file = [descriptor] { close(descriptor); };
  return ReadAll(descriptor, path, max_bytes);
}

absl::StatusOr<std::string> ReadFileOrInput(const std::string& path, size_t max_bytes) {
  return path == "-" ? ReadAll(STDIN_FILENO, "standard input", max_bytes)
                     : ReadFile(path, max_bytes);
}

absl::Status ReplaceFile(const std::string& path, absl::string_view content) {
  return Replace(path, content, kForUsers, true);
}

absl::Status ReplaceCached(const std::string& path, absl::string_view content) {
  return Replace(path, content, kForOwner, false);
}

absl::StatusOr<std::string> MakeTemporaryFolder(absl::string_view purpose) {
  const char* temporary = std::getenv("TMPDIR");
  std::string folder =
      absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/cox-", purpose, "-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    return SystemError(folder, errno);
  }
  return folder;
}

}  // namespace cox
