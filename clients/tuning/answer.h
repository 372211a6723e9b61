// Gets a job's tuning within a time limit, by any transport: from the daemon, or from the cache
// when the daemon does not answer. Not thread-safe.
#ifndef COX_TUNING_ANSWER_H_
#define COX_TUNING_ANSWER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "tuning/tuning_cache.h"

namespace cox::tuning {

// One call to the daemon. Answers are serialised responses to the key's question.
struct Source {
  // Whether an answer has everything that the caller needs.
  std::function<bool(const std::string& answer)> is_complete;
  // Asks key.server, with the etag of the cached answer `known` ("" without one). Returns within
  // the caller's limit.
  std::function<absl::StatusOr<std::string>(const std::string& known)> ask;
  // Whether an answer confirms the cached one.
  std::function<bool(const std::string& answer)> is_not_modified;
};

struct Answer {
  std::string answer;  // complete
  std::string remark;  // for people: says when the answer comes from the cache
};

// Asks `source`, unless TuningCache::IsQuiet, and stores the answer (not answers with trials). A
// daemon that cannot be reached, does not answer within `limit_s` or answers nonsense is
// UNAVAILABLE, unless the cache has an answer. A refusal (an unknown machine, a library without an
// exporter) is the daemon's own status.
absl::StatusOr<Answer> FindAnswer(const TuningKey& key, double limit_s, const TuningCache& cache,
                                  const Source& source);

}  // namespace cox::tuning

#endif  // COX_TUNING_ANSWER_H_
