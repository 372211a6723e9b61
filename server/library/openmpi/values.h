// What Open MPI makes of the values of its variables (4.1.4: source and runs; 5.0: the same code).
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

// Whether a switch is on: exactly "true", "t", "enabled", "yes", "y", or a decimal number that is
// not 0. Anything else leaves it off, "on" and "True" too: of those the library only warns.
bool IsOpenMpiSwitchOn(absl::string_view value);

// The most that a variable may be; more is refused, with a warning.
inline constexpr int64_t kOpenMpiMostNumber = 2147483647;

// The number from 0 to kOpenMpiMostNumber that decimal digits give, with one of k, m, g, K, M, G
// behind them for a binary multiple. Nothing for other texts, though the library reads more: signs,
// other bases, and "64 k" as 64. Digits that begin with 0 are taken for decimal here.
std::optional<int64_t> OpenMpiNumber(absl::string_view value);

// Whether digits begin with a 0 that makes the library read them as octal.
bool IsOpenMpiOctal(absl::string_view value);

// The row that a value of coll_tuned_X_algorithm asks for: by the library's own name, or by a
// number, which is octal behind 0, hexadecimal behind 0x.
// Null where the library would refuse the value, and for its own choice (0, "ignore").
//
// Its own name is our native_name but for allgatherv's first, which it calls "default".
const Algorithm* FindOpenMpiForced(absl::string_view library, domain::Collective collective,
                                   absl::string_view value);

// The own names of a collective's algorithms that can be forced, as "a, b, c".
std::string OpenMpiForcedNames(absl::string_view library, domain::Collective collective);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_VALUES_H_
