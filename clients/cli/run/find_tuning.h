// Gets a job's tuning within a time limit: from the daemon, or from the cache when the daemon does
// not answer.
// Not thread-safe.
#ifndef COX_CLI_RUN_FIND_TUNING_H_
#define COX_CLI_RUN_FIND_TUNING_H_

#include <cox/v1/advice.pb.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/credentials.h"
#include "tuning/tuning_cache.h"

namespace cox::cli {

using tuning::TuningCache;
using tuning::TuningKey;

struct FoundTuning {
  v1::GetTuningResponse answer;
  std::string text_file;  // what a library that reads a file is to read; empty: nothing to read
  std::string remark;     // for people: where the answer comes from if not from the daemon
};

// See tuning::FindAnswer for what an error means. INVALID_ARGUMENT where the daemon's text may not
// reach a job (daemon_text.h); such an answer is not kept, and one in the cache counts as absent.
// `command` goes into the text's header.
absl::StatusOr<FoundTuning> FindTuning(const TuningKey& key, const std::string& command,
                                       double limit_s, const TuningCache& cache,
                                       const Credentials& credentials);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_FIND_TUNING_H_
