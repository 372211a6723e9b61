#include "access/ended_jobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "access/private_file.h"

namespace cox::access {
namespace {

// The clock of a job's node may be ahead of ours.
constexpr int64_t kClockDifference_us = int64_t{5} * 60 * 1'000'000;
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

absl::Status WrongList(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", why));
}

absl::Status CannotWriteList(const std::string& path) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

std::string Line(int64_t job, int64_t end_time_us) {
  return absl::StrCat(job, " ", end_time_us, "\n");
}

}  // namespace

absl::StatusOr<std::unique_ptr<EndedJobs>> EndedJobs::Open(const std::string& path, Clock clock,
                                                           size_t max_jobs) {
  std::unique_ptr<EndedJobs> jobs(new EndedJobs(path, std::move(clock), max_jobs));
  if (absl::Status read = jobs->Read(); !read.ok()) return read;
  return jobs;
}

absl::Status EndedJobs::Read() {
  std::lock_guard writing(writing_);
  std::string text;
  {
    const PrivateFile file(path_, O_RDONLY);
    if (file.fd() < 0 && errno == ENOENT) return absl::OkStatus();
    struct stat status {};
    if (file.fd() < 0 || fstat(file.fd(), &status) != 0)
      return WrongList(path_, std::strerror(errno));
    if ((status.st_mode & kWritableByOthers) != 0) {
      return WrongList(path_, "others may write it; run chmod 600");
    }
    if (!ReadAll(file.fd(), static_cast<size_t>(status.st_size), &text)) {
      return WrongList(path_, "cannot be read");
    }
  }
  // A power loss may have cut the last line.
  text.resize(text.rfind('\n') + 1);
  std::unique_lock lock(mutex_);
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    int64_t job = 0;
    int64_t end_time_us = 0;
    if (words.size() != 2 || !absl::SimpleAtoi(words[0], &job) ||
        !absl::SimpleAtoi(words[1], &end_time_us)) {
      return WrongList(path_, absl::StrCat("line ", line_count_ + 1, ": must be JOB END_TIME_US"));
    }
    Remember({job, end_time_us});
    ++line_count_;
  }
  const std::string compact = Compact();
  lock.unlock();
  // If the disk is full, the next Add() tries again.
  WriteAnew(compact).IgnoreError();
  return absl::OkStatus();
}

bool EndedJobs::MayReport(int64_t job, int64_t create_time_us, int64_t end_time_us) const {
  if (end_time_us <= clock_() || end_time_us - create_time_us > kMaxLifetime_us) return false;
  std::lock_guard lock(mutex_);
  const auto ended = end_times_us_.find(job);
  return ended == end_times_us_.end() || create_time_us > ended->second + kClockDifference_us;
}

bool EndedJobs::Remember(const EndedJob& ended) {
  const auto [known, is_new] = end_times_us_.emplace(ended.job, ended.end_time_us);
  if (!is_new) {
    if (known->second >= ended.end_time_us) return false;
    by_time_.erase({known->second, ended.job});
    known->second = ended.end_time_us;
  }
  by_time_.emplace(ended.end_time_us, ended.job);
  return true;
}

absl::Status EndedJobs::AddAll(absl::Span<const EndedJob> jobs) {
  std::lock_guard writing(writing_);
  std::string lines;
  bool is_anew = is_unwritten_;
  {
    std::lock_guard lock(mutex_);
    for (const EndedJob& ended : jobs) {
      if (!Remember(ended)) continue;
      absl::StrAppend(&lines, Line(ended.job, ended.end_time_us));
      ++line_count_;
    }
    is_anew = is_anew || line_count_ > max_jobs_;
    if (is_anew) lines = Compact();
  }
  if (is_anew) return WriteAnew(lines);
  if (lines.empty()) return absl::OkStatus();
  const PrivateFile file(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (file.fd() < 0 || !WriteAll(file.fd(), lines) || fdatasync(file.fd()) != 0) {
    is_unwritten_ = true;  // the next call writes the file anew
    return CannotWriteList(path_);
  }
  return absl::OkStatus();
}

std::vector<EndedJob> EndedJobs::Since(int64_t time_us, size_t limit) const {
  std::vector<EndedJob> jobs;
  std::lock_guard lock(mutex_);
  for (auto ended = by_time_.lower_bound({time_us, 0}); ended != by_time_.end(); ++ended) {
    if (jobs.size() == limit) break;
    jobs.push_back({.job = ended->second, .end_time_us = ended->first});
  }
  return jobs;
}

int64_t EndedJobs::LatestEnd_us() const {
  std::lock_guard lock(mutex_);
  return by_time_.empty() ? 0 : by_time_.rbegin()->first;
}

std::string EndedJobs::Compact() {
  const int64_t oldest_us = clock_() - kMaxLifetime_us - kClockDifference_us;
  by_time_.erase(by_time_.begin(), by_time_.lower_bound({oldest_us, 0}));
  if (by_time_.size() > max_jobs_) {
    auto middle = by_time_.begin();
    std::advance(middle, by_time_.size() / 2);
    by_time_.erase(by_time_.begin(), middle);
  }
  end_times_us_.clear();
  std::string text;
  for (const auto& [end_time_us, job] : by_time_) {
    end_times_us_.emplace(job, end_time_us);
    absl::StrAppend(&text, Line(job, end_time_us));
  }
  line_count_ = by_time_.size();
  return text;
}

absl::Status EndedJobs::WriteAnew(const std::string& text) {
  is_unwritten_ = !ReplaceFile(path_, text);
  return is_unwritten_ ? CannotWriteList(path_) : absl::OkStatus();
}

}  // namespace cox::access
