// A machine with some parameters changed, for one answer. Pure; any thread.
#ifndef COX_ADVISE_WHAT_IF_H_
#define COX_ADVISE_WHAT_IF_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"

namespace cox::advise {

// A change of one parameter, or of all parameters that a short name matches.
struct Change {
  enum class Kind {
    kValue,   // the parameter is `amount`, in its SI unit
    kFactor,  // the parameter is multiplied by `amount`
  };
  std::string parameter;  // "name", "model.name" or "model.level.name"
  Kind kind = Kind::kValue;
  double amount = 0;  // finite, >= 0
};

inline constexpr size_t kMaxChanges = 64;

// Returns the machine with the changes applied one after the other. A short name changes those of
// its parameters that the profile has. A value replaces all pieces of a piecewise parameter, a
// factor multiplies each. A value may also add a parameter. The selected model stays; where there
// was none, the first one that can now be priced is selected. Corrections stay as they were learned
// with the unchanged parameters. Without changes, returns `machine` itself.
//
// INVALID_ARGUMENT with the field ("what_if[0].parameter", "what_if[0].value", ...) for more than
// kMaxChanges; a name that no model has (the message lists the known ones); an amount that is
// negative or not finite, or makes the parameter so or one that it cannot be
// (model::CheckAllowed()); a factor for a parameter that the profile lacks. With the field
// "what_if" if the changes together make times larger than a double.
absl::StatusOr<std::shared_ptr<const MachineView>> WithChanges(
    std::shared_ptr<const MachineView> machine, absl::Span<const Change> changes);

}  // namespace cox::advise

#endif  // COX_ADVISE_WHAT_IF_H_
