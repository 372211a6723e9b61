// Fits the parameters of every model that a calibration's samples inform.
#ifndef COX_LEARN_CALIBRATE_CALIBRATE_H_
#define COX_LEARN_CALIBRATE_CALIBRATE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "domain/level.h"
#include "domain/profile.h"
#include "domain/shape.h"
#include "domain/sharing/caller_watch.h"
#include "learn/samples.h"
#include "model/profile.h"

namespace cox::learn {

struct ModelFit {
  std::string model;  // "all: copy", "all: reduce": shared by all models (level self)
  domain::Level level = domain::Level::kNetwork;
  int64_t sample_count = 0;
  double median_relative_error = 0;         // |fitted - t| / min(fitted, t)
  std::vector<std::string> not_identified;  // left out, or sharing a cost with others
  std::vector<double> breakpoints_bytes;    // where a regime ends, ascending
};

struct Calibration {
  domain::Profile profile;
  std::vector<ModelFit> fits;
  std::vector<std::string> warnings;  // such as parameters that these samples do not identify
};

// `shape` is the machine's: samples are priced on the network that predictions see.
//
// Fits each model by weighted least squares in relative error: every sample counts alike, whatever
// its size. Parameters are >= 0; standard errors come from the residuals. calibration_plan.h lists
// which kinds of samples inform which model; regimes.h finds where parameters change. O(n log n)
// for n samples, beyond a bounded number of fits to bounded numbers of samples. INVALID_ARGUMENT
// with field "samples[i].x" for a sample that is not finite, not positive, or of an unknown kind;
// no samples at all: field "samples". CANCELLED if the caller was found gone, asked before each fit
// and at the end.
absl::StatusOr<Calibration> Calibrate(absl::Span<const Sample> samples,
                                      const domain::Shape& shape = {},
                                      const domain::IsCancelled& is_cancelled = {});

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_CALIBRATE_H_
