// Drifts: from the domain's record to the API's message. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_DRIFT_H_
#define COX_SERVICE_CONVERT_DRIFT_H_

#include <cox/v1/observation.pb.h>

#include "domain/drift.h"

namespace cox::service {

void FromRecord(const domain::Drift& record, v1::Drift* drift);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_DRIFT_H_
