// Kernels: whole parallel algorithms with their local work, as programs of supersteps. A kernel
// becomes a schedule like a collective's, so every model prices it. Immutable table, pure
// functions, any thread.
//
// Source of all but Cannon's and multigrid: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative
// comparison of parallel computation models, ACM TOCS 16(3), 1998, section 4. The traffic is what
// the paper counts, so that the general models give the totals of its Tables II to V. Where the
// paper counts a processor's own block as sent to itself, so does this. If the paper lays out an
// algorithm differently for different models, each layout is a variant.
//
// One rank per node: all traffic goes between nodes. Local work is in operations: the paper
// measures it and gives only its order.
#ifndef COX_STRATEGY_KERNELS_KERNEL_H_
#define COX_STRATEGY_KERNELS_KERNEL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/shape.h"
#include "model/extent.h"
#include "model/schedule.h"

namespace cox::strategy {

struct KernelScenario {
  int64_t n = 1;              // problem size: see Kernel::size; 1 .. kMaxKernelSize
  int64_t ranks = 1;          // p >= 1
  int64_t word_bytes = 4;     // a key, a matrix element; >= 1
  int64_t oversampling = 32;  // sample sort: samples of each rank, s >= 1
  // Sample sort: keys in the fullest bucket, b_max. 0: n / p, the least possible, as if the keys
  // were spread evenly.
  int64_t largest_bucket = 0;
  const domain::Shape* shape = nullptr;  // of the machine; null: a crossbar
};
inline constexpr int64_t kMaxKernelSize = int64_t{1} << 40;

struct Kernel {
  absl::string_view name;         // "sample-sort"
  absl::string_view variant;      // "ssdr"; "" if there is only one
  absl::string_view description;  // one line
  absl::string_view size;         // what n counts: "keys", "rows of a matrix", "vertices"
  absl::string_view needs;        // what must hold for n and the ranks p, for people
  absl::string_view operation;    // what an operation of its local work is
  absl::string_view source;       // where it is described

  // FAILED_PRECONDITION saying why it cannot run this scenario ("needs a cube of ranks, not 10");
  // OK otherwise. The scenario is valid.
  absl::Status (*applies)(const KernelScenario& scenario);

  // Appends the supersteps. Only for a scenario that applies() accepts; callers use BuildKernel().
  void (*build)(const KernelScenario& scenario, model::Schedule* schedule);
};

// All kernels. The variants of one are consecutive; the first has the bare name.
absl::Span<const Kernel> Kernels();

// The kernel of that name and variant; the first variant for "". NOT_FOUND listing the known ones.
absl::StatusOr<const Kernel*> FindKernel(absl::string_view name, absl::string_view variant = "");

// INVALID_ARGUMENT with the field for anything out of range: n, ranks in 1 .. kMaxRanks,
// word_bytes, oversampling, largest_bucket (0, or n / ranks .. n).
absl::Status Validate(const KernelScenario& scenario);

// Writes the schedule of a kernel, on the network of scenario.shape, for a valid scenario that
// applies() accepts. O(phases) time, no allocation. One rank has no communication, only work.
void BuildKernel(const Kernel& kernel, const KernelScenario& scenario, model::Schedule* schedule);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_KERNELS_KERNEL_H_
