// The models that learning fits to what cox-bench and jobs measure: all but c3, whose parameters
// are the sizes of a machine's packets and are stated.
#ifndef COX_LEARN_FITTED_MODELS_H_
#define COX_LEARN_FITTED_MODELS_H_

#include "absl/types/span.h"
#include "model/model.h"

namespace cox::learn {

// In the order in which they are preferred while no measurement tells them apart.
absl::Span<const model::Model* const> FittedModels();

}  // namespace cox::learn

#endif  // COX_LEARN_FITTED_MODELS_H_
