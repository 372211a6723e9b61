// A job's tuning within a time limit: from the daemon, or where it does not answer, from the cache.
// Not thread-safe.
#ifndef COX_CLI_FIND_TUNING_H_
#define COX_CLI_FIND_TUNING_H_

#include <cox/v1/advice.pb.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/tuning_cache.h"

namespace cox::cli {

struct FoundTuning {
  v1::GetTuningResponse answer;
  std::string text_file;  // what a library that reads a file is to read; empty: nothing to read
  std::string remark;     // for people: where the answer comes from if not from the daemon
};

// Asks key.server, with the etag of what the cache has. A daemon that cannot be reached, does not
// answer within `limit_s` or answers nonsense is UNAVAILABLE, unless the cache has an answer; one
// that kept this host waiting is left alone for TuningCache::kQuietTime. A refusal (an unknown
// machine, a library without an exporter) is the daemon's own status. `command` goes into the
// text's header.
absl::StatusOr<FoundTuning> FindTuning(const TuningKey& key, const std::string& command,
                                       double limit_s, const TuningCache& cache);

}  // namespace cox::cli

#endif  // COX_CLI_FIND_TUNING_H_
