// GetDecisions: a job's decision tables as rows, for a client that selects at each call. Any
// thread.
#ifndef COX_SERVICE_ANSWERS_DECISIONS_ANSWER_H_
#define COX_SERVICE_ANSWERS_DECISIONS_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/decision_cache.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"
#include "domain/sharing/in_parts.h"

namespace cox::service {

// Whether the request's etag is still valid; the response is then complete. Costs one lookup.
bool IsNotModified(const daemon::Snapshot& snapshot, const daemon::DecisionCache& cache,
                   const v1::GetDecisionsRequest& request, v1::GetDecisionsResponse* response);

// Takes earlier decisions from the cache, or decides, which takes milliseconds. NOT_FOUND for an
// unknown machine, UNIMPLEMENTED for a library without a table, INVALID_ARGUMENT with the field,
// CANCELLED. `in_parts` lets threads share the work.
absl::Status AnswerDecisions(const daemon::Snapshot& snapshot,
                             const v1::GetDecisionsRequest& request, daemon::DecisionCache* cache,
                             const domain::IsCancelled& is_cancelled,
                             const domain::InParts& in_parts, v1::GetDecisionsResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_DECISIONS_ANSWER_H_
