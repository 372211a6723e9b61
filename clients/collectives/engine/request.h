// What a cox_request points to. Any thread.
#ifndef COX_COLLECTIVES_ENGINE_REQUEST_H_
#define COX_COLLECTIVES_ENGINE_REQUEST_H_

#include <memory>

#include "collectives/engine/operation.h"
#include "cox/coll.h"

struct cox_request_ {
  std::shared_ptr<cox::collectives::Operation> operation;
};

namespace cox::collectives {

// Creates the program's handle of an operation and begins it. cox_test and cox_wait report later
// errors.
void StartRequest(std::shared_ptr<Operation> operation, cox_request* request);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_REQUEST_H_
