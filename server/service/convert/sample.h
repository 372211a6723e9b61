// Samples of a calibration: from the API's message to the domain's record. An error names the API's
// field. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_SAMPLE_H_
#define COX_SERVICE_CONVERT_SAMPLE_H_

#include <cox/v1/calibration.pb.h>

#include "absl/status/statusor.h"
#include "learn/samples.h"

namespace cox::service {

absl::StatusOr<learn::Sample> ToSample(const v1::Sample& sample);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_SAMPLE_H_
