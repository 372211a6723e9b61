// The answer about a graph of communication blocks. Pure conversion and calls into the domain; any
// thread.
#ifndef COX_SERVICE_ANSWERS_BLOCK_ANSWER_H_
#define COX_SERVICE_ANSWERS_BLOCK_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/model.pb.h"

namespace cox::service {

absl::Status AnswerReduceBlocks(const v1::ReduceBlocksRequest& request,
                                v1::ReduceBlocksResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_BLOCK_ANSWER_H_
