// How a collective is called: the MPI library's function, or our own library's.
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
  const char* algorithm = nullptr;  // of our own library; the MPI library is told by other means
};

// From the call to its completion on this rank. MPI_SUCCESS, or an MPI error class.
using CollectiveFunction = int (*)(const CallArguments& arguments);

struct FunctionRow {
  domain::Collective collective;
  CollectiveFunction function;
};

absl::Span<const FunctionRow> MpiFunctions();
// Empty in a build without our own library.
absl::Span<const FunctionRow> OwnFunctions();

// Null where there is none.
CollectiveFunction FindFunction(absl::Span<const FunctionRow> rows, domain::Collective collective);

// What was wrong with our own library's last call on this rank; "" if nothing was.
std::string OwnError();

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COLLECTIVE_FUNCTION_H_
