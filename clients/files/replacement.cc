#include "files/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "files/system_error.h"

namespace cox {
namespace {

constexpr size_t kBufferBytes = 65536;

// Creates a file beside `path`, writes its name to `name`. The umask restricts its permissions.
// mkstemp would need a chmod by the umask, and reading the umask means changing it for all threads
// of the process.
int CreateBeside(const std::string& path, mode_t permissions, std::string* name) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    uint64_t number = 0;
    if (getentropy(&number, sizeof number) != 0) return -1;
    *name = absl::StrCat(path, ".", absl::Hex(number, absl::kZeroPad16));
    const int descriptor =
        open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// The number of a descriptor that `path` names: whoever started this program has opened that file.
// -1: none.
int OpenDescriptor(absl::string_view path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  int number = -1;
  const bool is_named =
      absl::ConsumePrefix(&path, "/dev/fd/") || absl::ConsumePrefix(&path, "/proc/self/fd/");
  return is_named && absl::SimpleAtoi(path, &number) && number >= 0 ? number : -1;
}

}  // namespace

Replacement::~Replacement() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status Replacement::Begin(const std::string& path, mode_t permissions) {
  path_ = path;
  struct stat existing;
  if (const int number = OpenDescriptor(path); number >= 0) {
    // Not opened anew: what is written through both must not overwrite each other.
    descriptor_ = fcntl(number, F_DUPFD_CLOEXEC, 0);
  } else if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  } else {
    std::string name;
    descriptor_ = CreateBeside(path, permissions, &name);
    if (descriptor_ >= 0) temporary_ = std::move(name);
  }
  return descriptor_ < 0 ? SystemError(path_, errno) : absl::OkStatus();
}

absl::Status Replacement::Flush() {
  absl::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(path_, errno);
    left.remove_prefix(written);
  }
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status Replacement::Write(absl::string_view part) {
  buffer_.append(part.data(), part.size());
  return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
}

absl::Status Replacement::Finish(bool waits_for_disk) {
  absl::Status status = Flush();
  if (!status.ok()) return status;
  if (waits_for_disk && !temporary_.empty() && fsync(descriptor_) != 0)
    return SystemError(path_, errno);
  // Some file systems report a full disk or quota only at close.
  if (close(std::exchange(descriptor_, -1)) != 0) return SystemError(path_, errno);
  if (temporary_.empty()) return absl::OkStatus();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return SystemError(path_, errno);
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace cox
