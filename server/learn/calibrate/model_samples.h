// Which samples of a calibration inform a model, and how many of them a fit needs. Pure, any
// thread.
#ifndef COX_LEARN_CALIBRATE_MODEL_SAMPLES_H_
#define COX_LEARN_CALIBRATE_MODEL_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/level.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/samples.h"

namespace cox::learn {

using Samples = std::vector<const Sample*>;

struct ModelSamples {
  Samples samples;                   // empty: none informs the model
  bool are_only_ping_pongs = false;  // the model has no kind of its own among all samples
  int64_t small_bytes = 1;           // the longest small message, at least 1
};

// Selects the samples that the plan names for the parameters of `level`. `all` has samples of one
// level.
ModelSamples SelectSamples(const ModelPlan& plan, domain::Level level,
                           absl::Span<const Sample* const> all);

// The plan's extra parameters that the model has at the level, as indices.
std::vector<int> ExtraIndices(const ModelPlan& plan, domain::Level level);

// At most `most` of the samples, evenly spread over their order.
Samples EvenlySpread(const Samples& samples, size_t most);

// Keeps at most kMostAlike timings of the same thing and kMostSamples in all, spread as all of them
// are. This bounds the cost of a fit. O(n log n).
inline constexpr size_t kMostAlike = 9;
inline constexpr size_t kMostSamples = 4000;
Samples Thin(const Samples& samples);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_MODEL_SAMPLES_H_
