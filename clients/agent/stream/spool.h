// The bounded file that takes what could not be sent: the observations interchange CSV of the
// command line (`cox observations import FILE`).
//
// Created at the first row; an existing one is continued when it is a spool of this user. Symbolic
// links are not followed: the default place is a folder that everybody can write to. Never longer
// than max_bytes. One thread; several processes may share a file (a lock of the system's guards
// each append).
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

  // Appends the batch's observations, those that fit. Returns how many timings were not kept;
  // problem() says why.
  int64_t Append(const Batch& batch);

  const std::string& path() const { return path_; }
  const std::string& problem() const { return problem_; }

 private:
  bool Open();

  const std::string path_;
  const int64_t max_bytes_;
  int file_ = -1;
  std::string problem_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_SPOOL_H_
