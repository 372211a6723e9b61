// The bounded file for observations that could not be sent, in the interchange CSV of `cox
// observations import FILE`.
//
// Created at the first row. An existing file is continued if it is a spool of this user. Symbolic
// links are not followed, because the default folder is writable by everyone. If somebody else has
// taken the name, the spool gets another one that nobody can foresee. A character device
// (/dev/null) discards all timings. Never longer than max_bytes.
// One thread; several processes may share a file (a system lock guards each append).
#ifndef COX_AGENT_STREAM_SPOOL_H_
#define COX_AGENT_STREAM_SPOOL_H_

#include <cstdint>
#include <string>

#include "agent/stream/observation.h"

namespace cox::agent {

class Spool {
 public:
  static constexpr int64_t kMaxBytes = int64_t{16} << 20;

  explicit Spool(std::string path, int64_t max_bytes = kMaxBytes)
      : path_(std::move(path)), max_bytes_(max_bytes) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Appends the batch's observations that fit. Returns the number of timings that were not kept;
  // problem() gives the reason.
  int64_t Append(const Batch& batch);

  // Another one than the constructor's once somebody else has taken that.
  const std::string& path() const { return path_; }
  const std::string& problem() const { return problem_; }

 private:
  bool Open();
  // Opens path_ with `flags` besides the usual ones. Sets `is_taken` if it is not this user's file.
  bool OpenPath(int flags, bool* is_taken);

  std::string path_;
  const int64_t max_bytes_;
  int file_ = -1;
  std::string problem_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_SPOOL_H_
