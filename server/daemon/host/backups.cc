#include "daemon/host/backups.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "domain/sharing/name_thread.h"

namespace cox::daemon {
namespace {

namespace fs = std::filesystem;

// The wall clock may be set: the schedule looks at it at least this often.
constexpr std::chrono::minutes kLongestWait{10};
constexpr int64_t kRetry_us = 600'000'000;

std::string NameAt(int64_t time_us) {
  return absl::FormatTime("coxswain-%Y%m%dT%H%M%E3SZ.db", absl::FromUnixMicros(time_us),
                          absl::UTCTimeZone());
}

// Whether NameAt() makes such names. A file that somebody has named otherwise is not for coxd to
// remove.
bool IsOurName(absl::string_view name) {
  constexpr absl::string_view kForm = "coxswain-00000000T000000.000Z.db";
  return std::equal(name.begin(), name.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    return form == '0' ? absl::ascii_isdigit(static_cast<unsigned char>(c)) : c == form;
  });
}

// Whether a backup that was killed has left such a file.
bool IsOurUnfinishedName(absl::string_view name) {
  for (const absl::string_view suffix : {".new", ".new-journal", ".new-wal", ".new-shm"}) {
    absl::string_view finished = name;
    if (absl::ConsumeSuffix(&finished, suffix) && IsOurName(finished)) return true;
  }
  return false;
}

// Whether the clock was ahead when the backup was made. Its name and its time may differ, such as
// after a copy.
bool IsOfFuture(const Backup& backup, int64_t now_us) {
  return backup.create_time_us > now_us ||
         fs::path(backup.path).filename().string() > NameAt(now_us);
}

}  // namespace

Backups::Backups(store::Store* store, Options options)
    : store_(store), options_(std::move(options)), start_time_us_(NowMicros()) {
  if (options_.every_s > 0) thread_ = std::thread([this] { Loop(); });
}

Backups::~Backups() { Stop(); }

void Backups::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

absl::StatusOr<Backup> Backups::Make(const store::IsCancelled& is_cancelled) {
  const std::lock_guard one_at_a_time(making_);
  if (mkdir(options_.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make the directory ", options_.directory, ": ", std::strerror(errno)));
  }
  // First: a full disk may have room then.
  RemoveUnfinished();
  RemoveOldest("");
  Backup backup;
  backup.create_time_us = NowMicros();
  backup.path = absl::StrCat(options_.directory, "/", NameAt(backup.create_time_us));
  const auto cancelled = [&] { return ending_ || (is_cancelled && is_cancelled()); };
  if (absl::Status made = store_->Backup(backup.path, cancelled); !made.ok()) return made;
  std::error_code error;
  const auto bytes = fs::file_size(backup.path, error);
  if (!error) backup.file_bytes = static_cast<int64_t>(bytes);
  RemoveOldest(backup.path);
  const std::lock_guard lock(mutex_);
  failures_.last.clear();
  return backup;
}

std::vector<Backup> Backups::List() const {
  std::vector<Backup> backups;
  std::error_code error;  // no directory: no backups
  for (fs::directory_iterator at(options_.directory, error), end; at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    struct stat info;
    if (!IsOurName(name)) continue;
    if (stat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    backups.push_back({.path = at->path().string(),
                       .file_bytes = info.st_size,
                       .create_time_us = int64_t{info.st_mtim.tv_sec} * 1'000'000 +
                                         info.st_mtim.tv_nsec / 1'000});
  }
  // The names are in the order of time.
  std::sort(backups.begin(), backups.end(),
            [](const Backup& a, const Backup& b) { return a.path > b.path; });
  return backups;
}

BackupFailures Backups::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

void Backups::RemoveUnfinished() const {
  std::vector<fs::path> unfinished;
  std::error_code error;
  for (fs::directory_iterator at(options_.directory, error), end; at != end; at.increment(error)) {
    if (IsOurUnfinishedName(at->path().filename().string())) unfinished.push_back(at->path());
  }
  for (const fs::path& path : unfinished) {
    std::error_code ignored;  // the next time tries again
    fs::remove(path, ignored);
  }
}

void Backups::RemoveOldest(const std::string& made) const {
  std::vector<Backup> backups = List();
  const int64_t now_us = NowMicros();
  const auto is_of_future = [&](const Backup& backup) {
    return backup.path != made && IsOfFuture(backup, now_us);
  };
  std::stable_partition(backups.begin(), backups.end(),
                        [&](const Backup& backup) { return !is_of_future(backup); });
  // After the clock was set back by less than the age of the last backup, that one may come first.
  std::stable_partition(backups.begin(), backups.end(),
                        [&](const Backup& backup) { return backup.path == made; });
  for (size_t i = static_cast<size_t>(options_.keep_count); i < backups.size(); ++i) {
    std::error_code ignored;  // the next time tries again
    fs::remove(backups[i].path, ignored);
  }
}

int64_t Backups::DueTimeMicros(int64_t now_us) const {
  int64_t last_us = start_time_us_;
  for (const Backup& backup : List()) {
    if (IsOfFuture(backup, now_us)) continue;
    last_us = backup.create_time_us;
    break;
  }
  // The clock was set back since the start.
  if (last_us > now_us) return now_us;
  return last_us + static_cast<int64_t>(options_.every_s * 1e6);
}

void Backups::Loop() {
  domain::NameThisThread("backups");
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const int64_t now_us = NowMicros();
    retry_time_us_ = std::min(retry_time_us_, now_us + kRetry_us);
    const int64_t wait_us = std::max(DueTimeMicros(now_us), retry_time_us_) - now_us;
    if (wait_us > 0) {
      wake_.wait_for(
          lock,
          std::min<std::chrono::microseconds>(std::chrono::microseconds(wait_us), kLongestWait),
          [this] { return ending_.load(); });
      continue;
    }
    lock.unlock();
    const absl::StatusOr<Backup> made = Make({});
    lock.lock();
    if (made.ok()) {
      Log(LogLevel::kInfo, "backup made",
          {{"path", made->path}, {"bytes", absl::StrCat(made->file_bytes)}});
      retry_time_us_ = 0;
    } else if (!ending_) {
      ++failures_.count;
      failures_.last = std::string(made.status().message());
      Log(LogLevel::kError, "no backup", {{"error", failures_.last}});
      retry_time_us_ = NowMicros() + kRetry_us;
    }
  }
}

}  // namespace cox::daemon
