// From a library's name for an algorithm to the code that really runs for a call, and to the
// catalogue's structure of that code. Immutable tables, any thread; allocates nothing.
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

// The name of the library's own choice. What is known about it stays under this name, whatever
// runs: a site's settings may make it another choice than the table's.
inline constexpr absl::string_view kDefaultAlgorithm = "default";

// The name of what a site's own selection file chose where it cannot be told what that was: not an
// algorithm that anybody can ask for.
inline constexpr absl::string_view kSelectionFile = "selection_file";

struct Structure {
  // The row that the name stands for, "default" for the library's own choice at this scenario. Null
  // for an algorithm that the library's table does not list, and where that choice is not known.
  const library::Algorithm* row = nullptr;
  // What runs instead of, or as, `row`. Null where the library would fail, and where row is null.
  const library::Algorithm* effective = nullptr;
  // The structure of `effective` for this scenario; null where the catalogue has none.
  const strategy::Strategy* strategy = nullptr;
};

// The scenario is valid.
Structure ResolveRow(const library::Algorithm& row, const strategy::Scenario& scenario,
                     const library::Assumptions& assume);
Structure Resolve(absl::string_view library, absl::string_view algorithm,
                  const strategy::Scenario& scenario, const library::Assumptions& assume);

// A place as a scenario; nullopt where the collective has no strategies. Not validated.
std::optional<strategy::Scenario> ScenarioOf(absl::string_view collective, int64_t ranks,
                                             int64_t ppn, int64_t block_bytes, int64_t type_bytes);
// The cell as a scenario; nullopt where the collective has no strategies or the cell is out of
// range.
std::optional<strategy::Scenario> ScenarioOf(const Cell& cell);

// The structure's price in seconds, or 0 where it cannot be priced. `schedule` is scratch.
double StructuralTime(const strategy::Strategy* strategy, const strategy::Scenario& scenario,
                      const model::Model& model, const model::Values& values,
                      model::Schedule* schedule);

}  // namespace cox::learn

#endif  // COX_LEARN_STRUCTURE_H_
