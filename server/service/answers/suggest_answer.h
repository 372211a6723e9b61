// SuggestMeasurements: what to measure next. Any thread.
#ifndef COX_SERVICE_ANSWERS_SUGGEST_ANSWER_H_
#define COX_SERVICE_ANSWERS_SUGGEST_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"

namespace cox::service {

// Takes up to a few seconds of arithmetic: call it from the pool. NOT_FOUND for an unknown machine,
// CANCELLED, INVALID_ARGUMENT with the field for everything else.
absl::Status AnswerSuggestions(const daemon::Snapshot& snapshot,
                               const v1::SuggestMeasurementsRequest& request,
                               const domain::IsCancelled& is_cancelled,
                               v1::SuggestMeasurementsResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_SUGGEST_ANSWER_H_
