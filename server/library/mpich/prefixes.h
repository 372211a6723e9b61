// How the names of MPICH's control variables begin in the environment (4.0.2: source).
#ifndef COX_LIBRARY_MPICH_PREFIXES_H_
#define COX_LIBRARY_MPICH_PREFIXES_H_

#include "absl/strings/string_view.h"

namespace cox::library {

// The official prefix first. All are read, and an earlier one of this list wins over a later one.
inline constexpr absl::string_view kMpichPrefixes[] = {"MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"};

// One more, of MVAPICH 3.0 only (its user guide).
inline constexpr absl::string_view kMvapichPrefix = "MVP_";

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_PREFIXES_H_
