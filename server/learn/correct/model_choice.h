// Selects a machine's model: the one whose prices lie nearest to the observations. Stateless, any
// thread.
#ifndef COX_LEARN_CORRECT_MODEL_CHOICE_H_
#define COX_LEARN_CORRECT_MODEL_CHOICE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/correct/model_errors.h"
#include "learn/prepared_cells.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

struct ModelError {
  const model::Model* model = nullptr;
  model::ParameterValues values;  // from the profile
  double median_error = 0;        // |T_m - T_p| / min(T_m, T_p), the median over the cells priced
  int64_t cell_count = 0;
};

// Every model that the profile can price, the selected one first, the others by their median error.
// In the order of FittedModels() a model replaces the one selected so far if its error is smaller
// by more than a factor of 1 + 1 / sqrt(cells). This margin is about the standard error of the
// median. Without cells of known structure the order of preference holds: max-rate, loggp, hockney,
// hyperbolic, then the others. A model of which the profile has only one of the levels node and
// network comes last in this order, if another model has both.
std::vector<ModelError> RankModels(const domain::Profile& profile,
                                   absl::Span<const PreparedCell> cells);

// The same from measured errors.
std::vector<ModelError> RankModels(const ModelErrors& measured);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_MODEL_CHOICE_H_
