// The jobs of Slurm whose credentials no longer count, in a file that only the daemon's user can
// read.
//
// Any thread. Add() waits for the disk; MayReport() and Since() do not.
#ifndef COX_ACCESS_ENDED_JOBS_H_
#define COX_ACCESS_ENDED_JOBS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace cox::access {

struct EndedJob {
  int64_t job = 0;  // Slurm's number
  int64_t end_time_us = 0;
};

class EndedJobs {
 public:
  using Clock = std::function<int64_t()>;  // microseconds since the Unix epoch

  // A credential that says that its job lasts longer than this is not good.
  static constexpr int64_t kMaxLifetime_us = int64_t{31} * 24 * 3'600 * 1'000'000;
  // Beyond this, the earliest half is forgotten; its credentials end with the job's time limit.
  static constexpr size_t kMaxJobs = 1'000'000;

  // A missing file says that no job has ended. FAILED_PRECONDITION, naming the file and the line:
  // it is not readable, others can write it, or it has another form. An unfinished last line does
  // not count.
  static absl::StatusOr<std::unique_ptr<EndedJobs>> Open(const std::string& path, Clock clock,
                                                         size_t max_jobs = kMaxJobs);

  // Whether a credential counts that was made for this job at `create_time_us` and ends at
  // `end_time_us`. A later job may have the number of one that has ended.
  bool MayReport(int64_t job, int64_t create_time_us, int64_t end_time_us) const;

  // The job has ended; durable when this returns. UNAVAILABLE: the file cannot be written; then the
  // job still counts as ended until the daemon ends.
  absl::Status Add(int64_t job) { return AddAll({{job, clock_()}}); }
  // The same for jobs of which another daemon says when they ended; the latest end of a job counts.
  // Waits for the disk once, if any of them is new.
  absl::Status AddAll(absl::Span<const EndedJob> jobs);

  // The jobs that ended at `time_us` or later, the earliest first, at most `limit`. O(limit).
  std::vector<EndedJob> Since(int64_t time_us, size_t limit) const;
  // The latest end; 0: no job has ended.
  int64_t LatestEnd_us() const;

 private:
  EndedJobs(std::string path, Clock clock, size_t max_jobs)
      : path_(std::move(path)), clock_(std::move(clock)), max_jobs_(max_jobs) {}

  absl::Status Read();
  // With mutex_ held: false if this end is known, or a later one.
  bool Remember(const EndedJob& ended);
  // With mutex_ held: forgets jobs whose credentials have all ended, and the earliest if there are
  // too many. The lines of the others: all of the file.
  std::string Compact();
  // With writing_ held and mutex_ not, because it waits for the disk.
  absl::Status WriteAnew(const std::string& text);

  const std::string path_;
  const Clock clock_;
  const size_t max_jobs_;
  std::mutex writing_;         // of the file; before mutex_
  bool is_unwritten_ = false;  // the file lacks a job, or ends in a part of a line; of writing_
  mutable std::mutex mutex_;   // of what follows
  absl::flat_hash_map<int64_t, int64_t> end_times_us_;    // by job
  absl::btree_set<std::pair<int64_t, int64_t>> by_time_;  // the same, (end, job)
  size_t line_count_ = 0;                                 // in the file
};

}  // namespace cox::access

#endif  // COX_ACCESS_ENDED_JOBS_H_
