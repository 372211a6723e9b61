// Which model speaks for a machine: the one whose prices lie nearest to what was observed.
// Stateless, any thread.
#ifndef COX_LEARN_MODEL_CHOICE_H_
#define COX_LEARN_MODEL_CHOICE_H_

#include <vector>

#include "absl/types/span.h"
#include "learn/cells.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

struct ModelError {
  const model::Model* model = nullptr;
  model::ParameterValues values;  // from the profile
  double median_error = 0;        // |T_m - T_p| / min(T_m, T_p), the median over the cells priced
  int64_t cell_count = 0;
};

// Every model that the profile can price, best first. With no cell of known structure the order is
// that of what the models see: max-rate, loggp, hockney, hyperbolic, then the others.
std::vector<ModelError> RankModels(const model::Profile& profile,
                                   absl::Span<const PreparedCell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_MODEL_CHOICE_H_
