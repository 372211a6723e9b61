// Calibrates what a rank does alone: copies and reductions. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_LOCAL_WORK_H_
#define COX_LEARN_CALIBRATE_LOCAL_WORK_H_

#include "absl/types/span.h"
#include "learn/calibrate/calibrate.h"
#include "learn/samples.h"

namespace cox::learn {

// Adds the parameters `copy` and `reduce` of level self, which all models that have them share.
void CalibrateLocalWork(absl::Span<const Sample* const> samples, Calibration* calibration);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_LOCAL_WORK_H_
