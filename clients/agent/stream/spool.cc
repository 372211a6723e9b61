#include "agent/stream/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace cox::agent {
namespace {

constexpr std::string_view kHeader =
    "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,statistic,"
    "stddev_s,"
    "at,type_bytes,run\n";

// RFC 4180: quoted only if necessary.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// With a decimal point in any locale: the program may have set its own.
std::string Number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string Instant(int64_t at_s) {
  const time_t time = at_s;
  tm parts = {};
  char text[32] = "";
  if (gmtime_r(&time, &parts) != nullptr) {
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  }
  return text;
}

std::string Row(const Observation& o) {
  std::string row;
  for (const std::string& field :
       {Field(o.machine), Field(o.library), Field(o.collective), Field(o.algorithm),
        std::to_string(o.nodes), std::to_string(o.ppn), std::to_string(o.ranks),
        std::to_string(o.block_bytes), Number(o.time_s), std::to_string(o.count), o.statistic,
        Number(o.stddev_s), Instant(o.at_s), std::to_string(o.type_bytes), o.run}) {
    if (!row.empty()) row += ',';
    row += field;
  }
  return row + '\n';
}

// Ranks of several nodes may share a file on a shared file system. Gives up soon when the lock is
// busy: the job's end would wait for it.
bool Lock(int file) {
  constexpr int kTries = 5;
  constexpr timespec kPause = {0, 1'000'000};
  for (int i = 0; i < kTries; ++i) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    // This file system has no locks, so no other process holds one.
    if (errno != EWOULDBLOCK) return errno != EINTR;
    nanosleep(&kPause, nullptr);
  }
  return false;
}

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool StartsWithHeader(int file) {
  char start[256];
  static_assert(sizeof(start) >= kHeader.size());
  return pread(file, start, kHeader.size(), 0) == static_cast<ssize_t>(kHeader.size()) &&
         std::string_view(start, kHeader.size()) == kHeader;
}

// "/tmp/spool-5f3a09c1d2e4b687.csv" of "/tmp/spool.csv".
std::string FreePath(const std::string& path) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number)) return path;
  char text[20];
  snprintf(text, sizeof(text), "-%016llx", static_cast<unsigned long long>(number));
  constexpr std::string_view kEnd = ".csv";
  const bool has_end = path.size() > kEnd.size() && path.ends_with(kEnd);
  const size_t stem = path.size() - (has_end ? kEnd.size() : 0);
  return path.substr(0, stem) + text + path.substr(stem);
}

}  // namespace

Spool::~Spool() {
  if (file_ >= 0) close(file_);
}

bool Spool::Open() {
  if (file_ >= 0) return true;
  struct stat status = {};
  // Not stat: a link by somebody else must not lose timings.
  if (lstat(path_.c_str(), &status) == 0 && S_ISCHR(status.st_mode)) {
    problem_ = "is a device, which keeps nothing";
    return false;
  }
  bool is_taken = false;
  if (OpenPath(0, &is_taken)) return true;
  if (!is_taken) return false;
  const std::string taken = std::exchange(path_, FreePath(path_));
  if (OpenPath(O_EXCL, &is_taken)) return true;
  path_ = taken;
  return false;
}

bool Spool::OpenPath(int flags, bool* is_taken) {
  const int file =
      open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags,
           S_IRUSR | S_IWUSR);
  if (file < 0) {
    problem_ = strerror(errno);
    // A link; a file of another user; a folder; a socket.
    *is_taken = errno == ELOOP || errno == EACCES || errno == EISDIR || errno == ENXIO;
    return false;
  }
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    problem_ = "is not a regular file of this user";
    *is_taken = true;
  } else if (status.st_size > 0 && !StartsWithHeader(file)) {
    problem_ = "is not a spool of observations";
  } else {
    file_ = file;
    return true;
  }
  close(file);
  return false;
}

int64_t Spool::Append(const Batch& batch) {
  int64_t lost = batch.timing_count();
  if (lost == 0 || !Open()) return lost;
  if (!Lock(file_)) {
    problem_ = "is locked by another process";
    return lost;
  }
  struct stat status = {};
  if (fstat(file_, &status) == 0) {
    std::string text(status.st_size == 0 ? kHeader : std::string_view());
    int64_t kept = 0;
    for (const Observation& observation : batch.observations) {
      const std::string row = Row(observation);
      if (status.st_size + static_cast<int64_t>(text.size() + row.size()) > max_bytes_) {
        problem_ = "is full";
        break;
      }
      text += row;
      kept += observation.count;
    }
    if (kept > 0 && WriteAll(file_, text)) {
      lost -= kept;
    } else if (kept > 0) {
      problem_ = strerror(errno);
      // Half a row at the end would make the file unreadable.
      if (ftruncate(file_, status.st_size) != 0) problem_ += ", and cannot be repaired";
    }
  } else {
    problem_ = strerror(errno);
  }
  flock(file_, LOCK_UN);
  return lost;
}

}  // namespace cox::agent
