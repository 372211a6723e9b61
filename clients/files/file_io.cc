#include "files/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace cox {
namespace {

absl::Status SystemError(absl::string_view path) {
  const std::string message = absl::StrCat(path, ": ", std::strerror(errno));
  return errno == ENOENT ? absl::NotFoundError(message) : absl::UnknownError(message);
}

absl::Status WriteAll(int descriptor, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::UnknownError(std::strerror(errno));
    content.remove_prefix(written);
  }
  return absl::OkStatus();
}

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
    if (got < 0) return SystemError(path);
    if (got == 0) return content;
    content.append(buffer, got);
    if (content.size() > max_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": is larger than ", max_bytes >> 20, " MiB; is it the right file?"));
    }
  }
}

// Creates a file beside `path`, writes its name to `name`. The umask sets its permissions. mkstemp
// would need a chmod by the umask, and reading the umask means changing it for all threads of the
// process.
int CreateBeside(const std::string& path, std::string* name) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    uint64_t number = 0;
    if (getentropy(&number, sizeof number) != 0) return -1;
    *name = absl::StrCat(path, ".", absl::Hex(number, absl::kZeroPad16));
    const int descriptor = open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// Some file systems report a full disk or quota only at close.
absl::Status WriteAndClose(int descriptor, absl::string_view content, bool waits_for_disk) {
  absl::Status status = WriteAll(descriptor, content);
  if (status.ok() && waits_for_disk && fsync(descriptor) != 0) {
    status = absl::UnknownError(std::strerror(errno));
  }
  if (close(descriptor) != 0 && status.ok()) status = absl::UnknownError(std::strerror(errno));
  return status;
}

absl::Status Replace(const std::string& path, absl::string_view content, bool waits_for_disk) {
  struct stat existing;
  // A device or a pipe (/dev/stdout) can only be written to.
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return SystemError(path);
    absl::Status status = WriteAndClose(descriptor, content, false);
    if (status.ok()) return status;
    return absl::UnknownError(absl::StrCat(path, ": ", status.message()));
  }
  std::string temporary;
  const int descriptor = CreateBeside(path, &temporary);
  if (descriptor < 0) return SystemError(path);
  absl::Status status = WriteAndClose(descriptor, content, waits_for_disk);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = absl::UnknownError(std::strerror(errno));
  }
  if (status.ok()) return status;
  unlink(temporary.c_str());
  return absl::UnknownError(absl::StrCat(path, ": ", status.message()));
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError(path);
  const absl::Cleanup close_file = [descriptor] { close(descriptor); };
  return ReadAll(descriptor, path, max_bytes);
}

absl::StatusOr<std::string> ReadFileOrInput(const std::string& path, size_t max_bytes) {
  return path == "-" ? ReadAll(STDIN_FILENO, "standard input", max_bytes)
                     : ReadFile(path, max_bytes);
}

absl::Status ReplaceFile(const std::string& path, absl::string_view content) {
  return Replace(path, content, true);
}

absl::Status ReplaceCached(const std::string& path, absl::string_view content) {
  return Replace(path, content, false);
}

absl::StatusOr<std::string> MakeTemporaryFolder(absl::string_view purpose) {
  const char* temporary = std::getenv("TMPDIR");
  std::string folder =
      absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/cox-", purpose, "-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::UnknownError(absl::StrCat(folder, ": ", std::strerror(errno)));
  }
  return folder;
}

}  // namespace cox
