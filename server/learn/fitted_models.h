// The models that learning fits to the timings of cox-bench and jobs: all except c3, whose
// parameters are stated sizes of a machine's packets.
#ifndef COX_LEARN_FITTED_MODELS_H_
#define COX_LEARN_FITTED_MODELS_H_

#include "absl/types/span.h"
#include "model/model.h"

namespace cox::learn {

// In the order of preference while no measurement tells them apart.
absl::Span<const model::Model* const> FittedModels();

}  // namespace cox::learn

#endif  // COX_LEARN_FITTED_MODELS_H_
