// How Open MPI reads the values of its variables (4.1.4: source and runs; 5.0: the same code).
// Pure, any thread.
#ifndef COX_LIBRARY_OPENMPI_VALUES_H_
#define COX_LIBRARY_OPENMPI_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// Whether a switch is on: exactly "true", "t", "enabled", "yes", "y", or a decimal number other
// than 0. Anything else leaves it off, also "on" and "True", with a warning of the library.
bool IsOpenMpiSwitchOn(absl::string_view value);

// The largest value of a variable; the library refuses a larger one with a warning.
inline constexpr int64_t kOpenMpiMostNumber = 2147483647;

// The number from 0 to kOpenMpiMostNumber of decimal digits, with an optional k, m, g, K, M or G
// for a binary multiple. Nothing for other texts, although the library reads more: signs, other
// bases, and "64 k" as 64. Digits with a leading 0 count as decimal here.
std::optional<int64_t> OpenMpiNumber(absl::string_view value);

// Whether a leading 0 makes the library read the digits as octal.
bool IsOpenMpiOctal(absl::string_view value);

// The row that a value of coll_tuned_X_algorithm selects: by the library's name, or by a number,
// which is octal after 0 and hexadecimal after 0x. Null where the library refuses the value, and
// for its own choice (0, "ignore").
//
// The library's name is the row's native_name, except for allgatherv's first algorithm, which the
// library calls "default".
const Algorithm* FindOpenMpiForced(absl::string_view library, domain::Collective collective,
                                   absl::string_view value);

// The library's names of a collective's algorithms that can be forced, as "a, b, c".
std::string OpenMpiForcedNames(absl::string_view library, domain::Collective collective);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_VALUES_H_
