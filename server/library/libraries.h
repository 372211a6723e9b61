// The libraries that can run strategies, one row each. A new version of a library is a row here and
// a file of its algorithms. Immutable, any thread.
#ifndef COX_LIBRARY_LIBRARIES_H_
#define COX_LIBRARY_LIBRARIES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/algorithm.h"

namespace cox::library {

struct Library {
  absl::string_view name;         // "openmpi-4.1"
  absl::string_view description;  // which versions, and how the rows were checked
  absl::Span<const Algorithm> (*algorithms)();
  // Its default for at least two ranks; see DefaultChoice(). Null where that is not known.
  const Algorithm* (*default_choice)(const strategy::Scenario& scenario, const Assumptions& assume);
};

absl::Span<const Library> Libraries();

// Null for an unknown name.
const Library* FindLibrary(absl::string_view name);

// "openmpi-4.1, mpich-4.0, ...", for messages.
std::string LibraryNames();

// " (did you mean openmpi-4.1 or openmpi-5.0?)" for a name that is unknown: the versions of the
// library of that name, else the nearest name. Empty if there is none.
std::string DidYouMeanLibrary(absl::string_view name);

}  // namespace cox::library

#endif  // COX_LIBRARY_LIBRARIES_H_
