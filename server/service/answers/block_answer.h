// Answers ReduceBlocks: reduces a graph of communication blocks to one block. Pure, any thread.
#ifndef COX_SERVICE_ANSWERS_BLOCK_ANSWER_H_
#define COX_SERVICE_ANSWERS_BLOCK_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/model.pb.h"

namespace cox::service {

// INVALID_ARGUMENT with the field ("graph.parts[1].block.a_s") as model::Reduce() says.
absl::Status AnswerReduceBlocks(const v1::ReduceBlocksRequest& request,
                                v1::ReduceBlocksResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_BLOCK_ANSWER_H_
