// Answers InferBlocks: the blocks of a machine from times of whole patterns. Stateless, any thread.
#ifndef COX_SERVICE_ANSWERS_INFER_ANSWER_H_
#define COX_SERVICE_ANSWERS_INFER_ANSWER_H_

#include <cox/v1/model.pb.h>

#include "absl/status/status.h"

namespace cox::service {

// INVALID_ARGUMENT with the field: "network", "channels", "times[3].n", or "times" where a pattern
// lacks times or its times contradict each other.
absl::Status AnswerInferBlocks(const v1::InferBlocksRequest& request,
                               v1::InferBlocksResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_INFER_ANSWER_H_
