// A machine as it is not: some parameters taken to be different, for one answer. Pure; any thread.
#ifndef COX_ADVISE_WHAT_IF_H_
#define COX_ADVISE_WHAT_IF_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"

namespace cox::advise {

// One change of one parameter, or of all parameters that a short name matches.
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

// The same machine with the changes applied one after the other. Of what a short name matches,
// those parameters change that the profile has. A value takes the place of all pieces of a
// piecewise parameter, a factor multiplies each; a value may also be given to what the profile does
// not have. The model that speaks for the machine stays the same (where none does, the first one
// that can now be priced speaks), and so do its corrections: they were learned against the
// unchanged parameters. Without changes, `machine` itself.
//
// INVALID_ARGUMENT with the field ("what_if[0].parameter", "what_if[0].value", ...) for more than
// kMaxChanges, a name that no model has (the message lists those there are), an amount that is
// negative or not finite or makes the parameter so, a factor on what the profile does not have.
absl::StatusOr<std::shared_ptr<const MachineView>> WithChanges(
    std::shared_ptr<const MachineView> machine, absl::Span<const Change> changes);

}  // namespace cox::advise

#endif  // COX_ADVISE_WHAT_IF_H_
