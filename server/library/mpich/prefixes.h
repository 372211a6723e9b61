// The prefixes of MPICH's control variables in the environment (4.0.2: source).
#ifndef COX_LIBRARY_MPICH_PREFIXES_H_
#define COX_LIBRARY_MPICH_PREFIXES_H_

#include "absl/strings/string_view.h"

namespace cox::library {

// The official prefix first. The library reads all; an earlier one in this list wins.
inline constexpr absl::string_view kMpichPrefixes[] = {"MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"};

// A further prefix of MVAPICH 3.0 only (its user guide).
inline constexpr absl::string_view kMvapichPrefix = "MVP_";

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_PREFIXES_H_
