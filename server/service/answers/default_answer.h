// ListStockChoices: what a library runs by itself.
#ifndef COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_
#define COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/model.pb.h"

namespace cox::service {

absl::Status AnswerStockChoices(const v1::ListStockChoicesRequest& request,
                                v1::ListStockChoicesResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_
