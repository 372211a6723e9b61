// Other names for a library's algorithms in measurements: those of benchmark suites and of
// functions in the library's source. The library itself does not take them. Immutable, any thread.
#ifndef COX_LIBRARY_ALIASES_H_
#define COX_LIBRARY_ALIASES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/collective.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

struct Alias {
  absl::string_view family;  // how the library's name begins: "openmpi-"
  domain::Collective collective;
  absl::string_view alias;
  absl::string_view native_name;  // of the row
};
absl::Span<const Alias> Aliases();

// The row of that native name, or the one that the name is an alias of; null for an unknown name.
const Algorithm* FindByAnyName(absl::string_view library, domain::Collective collective,
                               absl::string_view name);

}  // namespace cox::library

#endif  // COX_LIBRARY_ALIASES_H_
