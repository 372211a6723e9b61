// Gets the decision table of a job that is steered call by call, within a time limit: from the
// daemon, or from the cache when the daemon does not answer. The agent asks the same question, so
// this fills the cache for it. Not thread-safe.
#ifndef COX_CLI_RUN_FIND_DECISIONS_H_
#define COX_CLI_RUN_FIND_DECISIONS_H_

#include <cox/v1/advice.pb.h>

#include <string>

#include "absl/status/statusor.h"
#include "cli/credentials.h"
#include "tuning/tuning_cache.h"

namespace cox::cli {

struct FoundDecisions {
  v1::GetDecisionsResponse answer;
  std::string remark;  // for people: says when the answer comes from the cache
};

// `key.question` is kDecisions. See tuning::FindAnswer for the errors.
absl::StatusOr<FoundDecisions> FindDecisions(const tuning::TuningKey& key, double limit_s,
                                             const tuning::TuningCache& cache,
                                             const Credentials& credentials);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_FIND_DECISIONS_H_
