// Answers GetTuning: decision tables of a machine, written in a library's own format. Any thread.
#ifndef COX_SERVICE_ANSWERS_TUNING_ANSWER_H_
#define COX_SERVICE_ANSWERS_TUNING_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/decision_cache.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"
#include "domain/sharing/in_parts.h"
#include "service/convert/nodes_in_use.h"

namespace cox::service {

// Whether the request's etag is still valid; the response is then complete. Costs one lookup.
bool IsNotModified(const daemon::Snapshot& snapshot, const daemon::DecisionCache& cache,
                   const v1::GetTuningRequest& request, v1::GetTuningResponse* response);

// Takes earlier decisions from the cache, or decides, which takes milliseconds, and writes the
// text. With a list of nodes it reads the store, and deciding takes up to seconds. Fails as
// NodeFinder does. CANCELLED; who asks the same at the same time is answered all the same.
// `in_parts` lets threads share the work.
absl::Status AnswerTuning(const daemon::Snapshot& snapshot, const v1::GetTuningRequest& request,
                          NodeFinder finder, daemon::DecisionCache* cache,
                          const domain::IsCancelled& is_cancelled, const domain::InParts& in_parts,
                          v1::GetTuningResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_TUNING_ANSWER_H_
