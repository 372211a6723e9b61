// ListDefaultChoices: what a library runs by itself.
#ifndef COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_
#define COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/model.pb.h"

namespace cox::service {

absl::Status AnswerDefaultChoices(const v1::ListDefaultChoicesRequest& request,
                                  v1::ListDefaultChoicesResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_
