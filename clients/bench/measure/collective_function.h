// The function that runs a collective: the MPI library's or libcoxcoll's.
//
// Data: a table for each library. Called by all ranks of MPI_COMM_WORLD. Threads as MPI allows.
#ifndef COX_BENCH_MEASURE_COLLECTIVE_FUNCTION_H_
#define COX_BENCH_MEASURE_COLLECTIVE_FUNCTION_H_

#include <string>

#include "absl/types/span.h"
#include "bench/collective_names.h"
#include "domain/collective.h"

namespace cox::bench {

inline constexpr int kRoot = 0;

struct CallArguments {
  const unsigned char* send = nullptr;
  unsigned char* receive = nullptr;
  int block_bytes = 0;
  int element_count = 0;            // of a reduction: floats
  const char* algorithm = nullptr;  // only for libcoxcoll
};

// From the call to its completion on this rank. MPI_SUCCESS, or an MPI error class.
using CollectiveFunction = int (*)(const CallArguments& arguments);

struct FunctionRow {
  domain::Collective collective;
  CollectiveFunction function;
};

absl::Span<const FunctionRow> MpiFunctions();
// Empty in a build without libcoxcoll.
absl::Span<const FunctionRow> CoxcollFunctions();

// Null if there is none.
CollectiveFunction FindFunction(absl::Span<const FunctionRow> rows, domain::Collective collective);

// What was wrong with this rank's last call of libcoxcoll; "" if nothing was.
std::string CoxcollError();

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COLLECTIVE_FUNCTION_H_
