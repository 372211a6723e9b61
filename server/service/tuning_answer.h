// GetTuning: decision tables of a machine, written in a library's own format.
#ifndef COX_SERVICE_TUNING_ANSWER_H_
#define COX_SERVICE_TUNING_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "service/snapshots.h"

namespace cox::service {

absl::Status AnswerTuning(const Snapshot& snapshot, const v1::GetTuningRequest& request,
                          v1::GetTuningResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_TUNING_ANSWER_H_
