// Finds, for a library's name of an algorithm, the code that really runs for a call and that code's
// structure in the catalogue. Immutable tables, any thread; allocates nothing.
#ifndef COX_LEARN_STRUCTURE_H_
#define COX_LEARN_STRUCTURE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "learn/samples.h"
#include "library/algorithms.h"
#include "model/model.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::learn {

// The name of the library's own choice. Its observations keep this name for any code that runs: a
// site's settings may choose otherwise than the library's table.
inline constexpr absl::string_view kDefaultAlgorithm = "default";

// The name for the choice of a site's selection file where the agent cannot tell which algorithm it
// was. Questions cannot name it.
inline constexpr absl::string_view kSelectionFile = "selection_file";

struct Structure {
  // The row of the name; for "default" the row that the library chooses for this scenario. Null
  // where the library's table lists no such algorithm, and where its choice is not known.
  const library::Algorithm* row = nullptr;
  // The row that really runs, `row` or its fallback. Null where the library fails, and where row is
  // null.
  const library::Algorithm* effective = nullptr;
  // The structure of `effective` for this scenario; null where the catalogue has none.
  const strategy::Strategy* strategy = nullptr;
};

// The parsed strategy of a row of a library's table; null where the catalogue has none.
const strategy::Strategy* StrategyOf(const library::Algorithm& row);

// The scenario is valid.
Structure ResolveRow(const library::Algorithm& row, const strategy::Scenario& scenario,
                     const library::Assumptions& assume);
Structure Resolve(absl::string_view library, absl::string_view algorithm,
                  const strategy::Scenario& scenario, const library::Assumptions& assume);

// Makes a scenario; nullopt where the collective has no strategies. It may be out of range.
std::optional<strategy::Scenario> ScenarioOf(absl::string_view collective, int64_t ranks,
                                             int64_t ppn, int64_t block_bytes, int64_t type_bytes);
// Makes the cell's scenario; nullopt where the collective has no strategies or the cell is out of
// range.
std::optional<strategy::Scenario> ScenarioOf(const Cell& cell);

// The structure's price in seconds, or 0 where it cannot be priced. `schedule` is scratch.
double StructuralTime(const strategy::Strategy* strategy, const strategy::Scenario& scenario,
                      const model::Model& model, const model::Values& values,
                      model::Schedule* schedule);

}  // namespace cox::learn

#endif  // COX_LEARN_STRUCTURE_H_
