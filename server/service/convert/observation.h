// Observations: the API's message and the store's record. An error names the API's field. Pure, any
// thread.
#ifndef COX_SERVICE_CONVERT_OBSERVATION_H_
#define COX_SERVICE_CONVERT_OBSERVATION_H_

#include <cox/v1/observation.pb.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "store/records.h"

namespace cox::service {

// `now_us`: the time of an observation that states none.
absl::StatusOr<store::ObservationRecord> ToRecord(const v1::Observation& observation,
                                                  int64_t now_us);
void FromRecord(const store::ObservationRecord& record, v1::Observation* observation);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_OBSERVATION_H_
