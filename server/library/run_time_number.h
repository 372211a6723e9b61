// The numbers under which a running library is told which algorithm to use, through the tools
// interface (MPI_T) of MPI: Open MPI's id in coll_tuned_X_algorithm, and MPICH's value of
// MPIR_CVAR_X_INTRA_ALGORITHM, which counts the names in the order of their declaration (read in
// MPICH 4.0.2 by setting each name and reading the variable). 0 is the library's own choice.
//
// Numbers above kMostRunTimeNumber are our own library's: its algorithms can run in the place of
// any library's, by name. Immutable, any thread.
#ifndef COX_LIBRARY_RUN_TIME_NUMBER_H_
#define COX_LIBRARY_RUN_TIME_NUMBER_H_

#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// No library that can be told has more algorithms of a collective.
inline constexpr int kMostRunTimeNumber = 15;
// Of our own numbers.
inline constexpr int kMostOwnNumber = 31;

// Our own library (clients/collectives), which can run on top of any other.
inline constexpr absl::string_view kOwnLibrary = "coxcoll";

// Whether the library can be told which algorithm to use while it runs.
bool TakesRunTimeNumbers(absl::string_view library);

// 1..kMostRunTimeNumber; 0 where the library cannot be told while it runs, or does not know the
// name.
int RunTimeNumber(absl::string_view library, domain::Collective collective,
                  absl::string_view native_name);

// kMostRunTimeNumber + 1 .. kMostOwnNumber for an algorithm of our own library; 0 where it has none
// of that name.
int OwnNumber(domain::Collective collective, absl::string_view native_name);

// The row of such a number, the library's or our own; null where there is none.
const Algorithm* FindRunTimeNumber(absl::string_view library, domain::Collective collective,
                                   int number);

}  // namespace cox::library

#endif  // COX_LIBRARY_RUN_TIME_NUMBER_H_
