// Fits the parameters of level `socket`: those of level `node`, from samples between sockets. Pure;
// any thread.
#ifndef COX_LEARN_CALIBRATE_SOCKET_CALIBRATION_H_
#define COX_LEARN_CALIBRATE_SOCKET_CALIBRATION_H_

#include "absl/types/span.h"
#include "domain/shape.h"
#include "domain/sharing/caller_watch.h"
#include "learn/calibrate/calibrate.h"
#include "learn/samples.h"

namespace cox::learn {

// Adds parameters, fits and warnings of the models that have this level. `samples`: those of level
// `socket`, checked; none: adds nothing. `watch`: as for CalibrateModel().
void CalibrateSockets(absl::Span<const Sample* const> samples, const domain::Shape& shape,
                      domain::CallerWatch* watch, Calibration* calibration);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_SOCKET_CALIBRATION_H_
