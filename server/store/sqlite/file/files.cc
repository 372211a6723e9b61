#include "store/sqlite/file/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "domain/reports/final_answer.h"

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

bool IsOutOfSpace(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

absl::Status CheckSpace(const std::string& directory, int64_t bytes) {
  const std::string path = directory + "/coxswain.space";
  // One that a killed daemon left is used again.
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int error = errno;
  if (fd >= 0) {
    unlink(path.c_str());
    error = posix_fallocate(fd, 0, bytes);
    close(fd);
  }
  if (error == 0) return absl::OkStatus();
  if (!IsOutOfSpace(error)) {
    return absl::UnavailableError(
        absl::StrCat("cannot write in ", directory, ": ", std::strerror(error)));
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      domain::kDiskFull, ": no ", bytes >> 10, " KiB in ", directory, ": ", std::strerror(error)));
}

}  // namespace cox::store
