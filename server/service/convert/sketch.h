// Sketches of messages: messages to domain records. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_SKETCH_H_
#define COX_SERVICE_CONVERT_SKETCH_H_

#include <cox/v1/observation.pb.h>

#include "absl/status/statusor.h"
#include "domain/pattern/sketch.h"

namespace cox::service {

// INVALID_ARGUMENT with the field for a number out of its range, for an unknown kind, and for
// counts that contradict each other.
absl::StatusOr<domain::PatternSketch> ToSketch(const v1::PatternSketch& message);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_SKETCH_H_
