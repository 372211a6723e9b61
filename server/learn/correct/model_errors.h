// How far each model's price lies from each cell, by the papers' metric |T_m - T_p| / min(T_m, T_p)
// (B. H. H. Juurlink, H. A. G. Wijshoff, "A quantitative comparison of parallel computation
// models", ACM TOCS 16(3), 1998, section 6). One pass that everything about models' errors is
// computed from. Stateless, any thread.
#ifndef COX_LEARN_CORRECT_MODEL_ERRORS_H_
#define COX_LEARN_CORRECT_MODEL_ERRORS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/cells.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

struct PricedModel {
  const model::Model* model = nullptr;
  model::ParameterValues values;  // from the profile
};

struct ModelErrors {
  std::vector<PricedModel> models;  // that the profile can price, in the order of model::Models()
  // Indices into the cells: those of known structure, every nth of them where there are very many.
  std::vector<size_t> cells;
  // A fraction >= 0 per (cell, model), by cell; +inf: a price of nothing for what took time.
  std::vector<double> errors;

  double At(size_t cell, size_t model) const { return errors[cell * models.size() + model]; }
};

// O(cells x models), each schedule is built once.
ModelErrors MeasureErrors(const domain::Profile& profile, absl::Span<const PreparedCell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_MODEL_ERRORS_H_
