// The numbers that select an algorithm in a running library through MPI's tools interface (MPI_T).
// For Open MPI it is the id in coll_tuned_X_algorithm. For MPICH it is the value of
// MPIR_CVAR_X_INTRA_ALGORITHM, which counts the names in the order of their declaration (read in
// MPICH 4.0.2 by setting each name and reading the variable). 0 is the library's own choice.
//
// Numbers above kMostRunTimeNumber select algorithms of libcoxcoll, which can replace any
// library's. Immutable, any thread.
#ifndef COX_LIBRARY_RUN_TIME_NUMBER_H_
#define COX_LIBRARY_RUN_TIME_NUMBER_H_

#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// No such library has more algorithms of a collective.
inline constexpr int kMostRunTimeNumber = 15;
// The largest number of libcoxcoll's algorithms.
inline constexpr int kMostCoxcollNumber = 31;

// libcoxcoll (clients/collectives), which runs on top of any MPI library.
inline constexpr absl::string_view kCoxcoll = "coxcoll";

// Whether a running library can select algorithms.
bool TakesRunTimeNumbers(absl::string_view library);

// 1..kMostRunTimeNumber; 0 where a running library cannot select algorithms, or does not know the
// name.
int RunTimeNumber(absl::string_view library, domain::Collective collective,
                  absl::string_view native_name);

// kMostRunTimeNumber + 1 .. kMostCoxcollNumber for an algorithm of libcoxcoll; 0 for an unknown
// name.
int CoxcollNumber(domain::Collective collective, absl::string_view native_name);

// The row of either kind of number; null for an unknown number.
const Algorithm* FindRunTimeNumber(absl::string_view library, domain::Collective collective,
                                   int number);

}  // namespace cox::library

#endif  // COX_LIBRARY_RUN_TIME_NUMBER_H_
