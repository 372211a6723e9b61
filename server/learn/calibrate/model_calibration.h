// Calibrates one model at one level: selects its samples, chooses its stated sizes, finds regimes,
// fits, and writes parameters, goodness and warnings down. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_MODEL_CALIBRATION_H_
#define COX_LEARN_CALIBRATE_MODEL_CALIBRATION_H_

#include "absl/types/span.h"
#include "domain/level.h"
#include "domain/shape.h"
#include "domain/sharing/caller_watch.h"
#include "learn/calibrate/calibrate.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/samples.h"

namespace cox::learn {

// `level` is that of the parameters, `shape` the machine's. All samples are of one level; it is
// another one only for a model without levels, and sources and warnings then say so. Adds nothing
// where no sample informs the model. However many samples there are, fits see at most kMostSamples
// of them and 64 possible borders of regimes. If `watch` says that the caller is gone, the
// calibration is incomplete.
void CalibrateModel(const ModelPlan& plan, domain::Level level, const domain::Shape& shape,
                    absl::Span<const Sample* const> samples, domain::CallerWatch* watch,
                    Calibration* calibration);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_MODEL_CALIBRATION_H_
