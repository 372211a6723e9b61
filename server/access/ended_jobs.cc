#include "access/ended_jobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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
  std::lock_guard lock(mutex_);
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    int64_t job = 0;
    int64_t end_time_us = 0;
    if (words.size() != 2 || !absl::SimpleAtoi(words[0], &job) ||
        !absl::SimpleAtoi(words[1], &end_time_us)) {
      return WrongList(path_, absl::StrCat("line ", line_count_ + 1, ": must be JOB END_TIME_US"));
    }
    end_times_us_[job] = end_time_us;
    ++line_count_;
  }
  // If the disk is full, the next Add() tries again.
  if (!Compact().ok()) line_count_ = max_jobs_;
  return absl::OkStatus();
}

bool EndedJobs::MayReport(int64_t job, int64_t create_time_us, int64_t end_time_us) const {
  if (end_time_us <= clock_() || end_time_us - create_time_us > kMaxLifetime_us) return false;
  std::lock_guard lock(mutex_);
  const auto ended = end_times_us_.find(job);
  return ended == end_times_us_.end() || create_time_us > ended->second + kClockDifference_us;
}

absl::Status EndedJobs::Add(int64_t job) {
  std::lock_guard writing(writing_);
  const int64_t now_us = clock_();
  {
    std::lock_guard lock(mutex_);
    end_times_us_[job] = now_us;
    if (++line_count_ > max_jobs_) return Compact();
  }
  const PrivateFile file(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (file.fd() < 0 || !WriteAll(file.fd(), Line(job, now_us)) || fdatasync(file.fd()) != 0) {
    std::lock_guard lock(mutex_);
    line_count_ = max_jobs_;  // the line may be there in part: writes the file anew
    return CannotWriteList(path_);
  }
  return absl::OkStatus();
}

absl::Status EndedJobs::Compact() {
  const int64_t oldest_us = clock_() - kMaxLifetime_us - kClockDifference_us;
  absl::erase_if(end_times_us_, [&](const auto& job) { return job.second < oldest_us; });
  if (end_times_us_.size() > max_jobs_) {
    std::vector<int64_t> times;
    times.reserve(end_times_us_.size());
    for (const auto& [job, end_time_us] : end_times_us_) times.push_back(end_time_us);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    absl::erase_if(end_times_us_, [&](const auto& job) { return job.second < *middle; });
  }
  line_count_ = end_times_us_.size();
  std::string text;
  for (const auto& [job, end_time_us] : end_times_us_) text += Line(job, end_time_us);
  return ReplaceFile(path_, text) ? absl::OkStatus() : CannotWriteList(path_);
}

}  // namespace cox::access
