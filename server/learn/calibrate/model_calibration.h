// The calibration of one model at one level: chooses its samples and its stated sizes, looks for
// regimes, fits, and writes parameters, goodness and warnings down. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_MODEL_CALIBRATION_H_
#define COX_LEARN_CALIBRATE_MODEL_CALIBRATION_H_

#include "absl/types/span.h"
#include "domain/level.h"
#include "learn/calibrate/calibrate.h"
#include "learn/calibrate/calibration_plan.h"

namespace cox::learn {

// `level` is that of the parameters. The samples are of one level, which is another only for a
// model that knows but one: then sources and warnings say so. Adds nothing where no sample informs
// the model.
void CalibrateModel(const ModelPlan& plan, domain::Level level,
                    absl::Span<const Sample* const> samples, Calibration* calibration);

// `copy` and `reduce` of level self, which all models that have them share.
void CalibrateLocalWork(absl::Span<const Sample* const> samples, Calibration* calibration);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_MODEL_CALIBRATION_H_
