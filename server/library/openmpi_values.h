// What Open MPI makes of the values of its variables (4.1.4: source and runs; 5.0: the same code).
// Pure, any thread.
#ifndef COX_LIBRARY_OPENMPI_VALUES_H_
#define COX_LIBRARY_OPENMPI_VALUES_H_

#include "absl/strings/string_view.h"

namespace cox::library {

// Whether a switch is on: exactly "true", "t", "enabled", "yes", "y", or a decimal number that is
// not 0. Anything else leaves it off, "on" and "True" too: of those the library only warns.
bool IsOpenMpiSwitchOn(absl::string_view value);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_VALUES_H_
