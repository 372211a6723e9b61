// Answers ListDefaultChoices: the algorithms that a library runs by default. Pure, any thread.
#ifndef COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_
#define COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/model.pb.h"

namespace cox::service {

// NOT_FOUND for an unknown library, INVALID_ARGUMENT with the field for values out of range.
absl::Status AnswerDefaultChoices(const v1::ListDefaultChoicesRequest& request,
                                  v1::ListDefaultChoicesResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_DEFAULT_ANSWER_H_
