// GetSavings: reads a machine's timings of jobs and estimates what tuning has saved. From a pool's
// thread: it reads many rows.
#ifndef COX_SERVICE_HISTORY_SAVINGS_ANSWER_H_
#define COX_SERVICE_HISTORY_SAVINGS_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/history.pb.h"
#include "service/history/visible_names.h"
#include "store/store.h"

namespace cox::service {

// Names of jobs and applications that `visible` does not show are empty in the answer.
// INVALID_ARGUMENT with the field, NOT_FOUND for an unknown machine, CANCELLED, and the store's
// errors.
absl::Status AnswerSavings(store::Store& store, const v1::GetSavingsRequest& request,
                           const VisibleNames& visible, const store::IsCancelled& is_cancelled,
                           v1::GetSavingsResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_SAVINGS_ANSWER_H_
