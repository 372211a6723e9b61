#include "store/sqlite/file/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace cox::store {

absl::Status Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool ok = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (ok) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot sync ", path, ": ", std::strerror(error)));
}

absl::Status CreateForOwner(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0 && close(fd) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot create ", path, ": ", std::strerror(errno)));
}

}  // namespace cox::store
