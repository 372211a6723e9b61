// What Open MPI makes of the values of its variables (4.1.4: source and runs; 5.0: the same code).
// Pure, any thread.
#ifndef COX_LIBRARY_OPENMPI_VALUES_H_
#define COX_LIBRARY_OPENMPI_VALUES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// Whether a switch is on: exactly "true", "t", "enabled", "yes", "y", or a decimal number that is
// not 0. Anything else leaves it off, "on" and "True" too: of those the library only warns.
bool IsOpenMpiSwitchOn(absl::string_view value);

// The row that a value of coll_tuned_X_algorithm asks for: by the library's own name, or by number.
// Null where the library would refuse the value, and for its own choice (0, "ignore").
//
// Its own name is our native_name but for allgatherv's first, which it calls "default".
const Algorithm* FindOpenMpiForced(absl::string_view library, strategy::Collective collective,
                                   absl::string_view value);

// The own names of a collective's algorithms that can be forced, as "a, b, c".
std::string OpenMpiForcedNames(absl::string_view library, strategy::Collective collective);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_VALUES_H_
