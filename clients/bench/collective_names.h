// The collectives that cox-bench can time, the libraries that have them, and their buffers.
//
// Pure; knows no MPI. Thread-compatible.
#ifndef COX_BENCH_COLLECTIVE_NAMES_H_
#define COX_BENCH_COLLECTIVE_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/collective.h"

namespace cox::bench {

// By the name of the interchange files, "reduce_scatter_block"; nothing if unknown.
std::optional<domain::Collective> FindCollective(absl::string_view name);

// All names, in alphabetical order.
std::vector<std::string> CollectiveNames();

// The name of libcoxcoll (clients/collectives) in rows and in --library.
inline constexpr absl::string_view kCoxcoll = "coxcoll";

// Whether libcoxcoll has the collective; and the names of those, in alphabetical order.
bool IsCoxcollCollective(domain::Collective collective);
std::vector<std::string> CoxcollCollectiveNames();

// Bytes of one element: reductions add floats, the others move bytes.
int64_t TypeBytes(domain::Collective collective);

// Bytes of a rank's send and receive buffers. The root's, where there is a root. A bcast has a
// receive buffer only.
struct BufferBytes {
  int64_t send = 0;
  int64_t receive = 0;
};
BufferBytes BuffersOf(domain::Collective collective, int64_t block_bytes, int64_t rank_count);

}  // namespace cox::bench

#endif  // COX_BENCH_COLLECTIVE_NAMES_H_
