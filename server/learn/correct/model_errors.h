// How far each model's price lies from each cell, by the papers' metric |T_m - T_p| / min(T_m, T_p)
// (B. H. H. Juurlink, H. A. G. Wijshoff, "A quantitative comparison of parallel computation
// models", ACM TOCS 16(3), 1998, section 6). Model choice and accuracy share this one pass.
// Stateless, any thread.
#ifndef COX_LEARN_CORRECT_MODEL_ERRORS_H_
#define COX_LEARN_CORRECT_MODEL_ERRORS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/prepared_cells.h"
#include "model/model.h"
#include "model/profile.h"
#include "model/schedule.h"

namespace cox::learn {

struct PricedModel {
  const model::Model* model = nullptr;
  model::ParameterValues values;  // from the profile
  bool assumes_a_level = false;   // node or network has the other one's values (CopyMissingLevels)
};

// The two sizes by which models' prices of a schedule differ most: the messages that a rank sends
// or receives in one phase, and the bytes of a message. Each is the largest, as a logarithm to base
// 2; 0 for none.
struct StructureSize {
  double log2_messages = 0;
  double log2_bytes = 0;
};
StructureSize StructureSizeOf(const model::Schedule& schedule);

struct ModelErrors {
  std::vector<PricedModel> models;  // that the profile can price, in the order of model::Models()
  // Indices of the cells of known structure, ascending; at most 2000, drawn by their keys.
  std::vector<size_t> cells;
  std::vector<StructureSize> sizes;  // of each of them
  // A fraction >= 0 per (cell, model), by cell; +inf where the price is 0.
  std::vector<double> errors;

  double At(size_t cell, size_t model) const { return errors[cell * models.size() + model]; }
};

// O(cells + measured cells x models); builds each schedule once.
ModelErrors MeasureErrors(const domain::Profile& profile, absl::Span<const PreparedCell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_MODEL_ERRORS_H_
