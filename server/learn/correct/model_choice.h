// Which model speaks for a machine: the one whose prices lie nearest to what was observed.
// Stateless, any thread.
#ifndef COX_LEARN_CORRECT_MODEL_CHOICE_H_
#define COX_LEARN_CORRECT_MODEL_CHOICE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/cells.h"
#include "learn/correct/model_errors.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

struct ModelError {
  const model::Model* model = nullptr;
  model::ParameterValues values;  // from the profile
  double median_error = 0;        // |T_m - T_p| / min(T_m, T_p), the median over the cells priced
  int64_t cell_count = 0;
};

// Every model that the profile can price. First the one that speaks: the preferred one of
// FittedModels() that no other beats by more than a factor of 1 + 1 / sqrt(cells), about the
// standard error of a median of so many; the others by their median error. With no cell of known
// structure the order is that of preference: max-rate, loggp, hockney, hyperbolic, then the others.
std::vector<ModelError> RankModels(const domain::Profile& profile,
                                   absl::Span<const PreparedCell> cells);

// The same from errors that were measured already.
std::vector<ModelError> RankModels(const ModelErrors& measured);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_MODEL_CHOICE_H_
