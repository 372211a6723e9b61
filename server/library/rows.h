// The algorithms of each library and its default, a file per library and version. Only libraries.cc
// calls these.
#ifndef COX_LIBRARY_ROWS_H_
#define COX_LIBRARY_ROWS_H_

#include "absl/types/span.h"
#include "library/algorithm.h"

namespace cox::library {

absl::Span<const Algorithm> OpenMpi41Algorithms();
absl::Span<const Algorithm> OpenMpi50Algorithms();
absl::Span<const Algorithm> Mpich40Algorithms();
absl::Span<const Algorithm> Mvapich30Algorithms();

// The library's default; see DefaultChoice(). At least two ranks.
const Algorithm* OpenMpi41DefaultChoice(const strategy::Scenario& scenario,
                                        const Assumptions& assume);
const Algorithm* Mpich40DefaultChoice(const strategy::Scenario& scenario,
                                      const Assumptions& assume);
absl::Span<const Algorithm> IntelMpi2019Algorithms();
absl::Span<const Algorithm> CrayMpich81Algorithms();
absl::Span<const Algorithm> Ucc1Algorithms();
absl::Span<const Algorithm> Nccl2Algorithms();
absl::Span<const Algorithm> CoxcollAlgorithms();

}  // namespace cox::library

#endif  // COX_LIBRARY_ROWS_H_
