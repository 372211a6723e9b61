// Predicts the time of a whole parallel algorithm with its local work. Pure; any thread.
#ifndef COX_ADVISE_KERNEL_H_
#define COX_ADVISE_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "strategy/kernels/kernel.h"

namespace cox::advise {

// A kernel with its tuning numbers, written
// "sample-sort?variant=ssdr&oversampling=32&largest_bucket=4096".
struct KernelChoice {
  const strategy::Kernel* kernel = nullptr;
  int64_t oversampling = 0;    // 0: its default
  int64_t largest_bucket = 0;  // 0: evenly spread
};

// NOT_FOUND for an unknown kernel or variant (the message lists the known ones), INVALID_ARGUMENT
// (field "kernel") for a knob that is unknown, of another kernel, malformed or out of range
// (oversampling >= 1, largest_bucket >= 0).
absl::StatusOr<KernelChoice> ParseKernel(absl::string_view text);

struct KernelQuestion {
  std::string kernel;      // as ParseKernel() reads it
  int64_t size = 1;        // n
  int64_t ranks = 1;       // p
  int64_t word_bytes = 4;  // of a matrix element, a key
  std::string model;       // "": the machine's; "all"
};

struct KernelAnswer {
  // One per model; the kernel as the question wrote it. If the profile has no time of an operation,
  // the price is that of communication, and the caveat says so.
  std::vector<Prediction> predictions;
  double communication_phase_count = 0;  // supersteps with communication
  double operations = 0;                 // of the busiest rank
};

// INVALID_ARGUMENT with the field ("size", "ranks", "word_bytes", "kernel") for values out of
// range, FAILED_PRECONDITION with its name where the kernel cannot run this size on these ranks.
// Otherwise fails as ParseKernel() and ModelsFor() do.
absl::StatusOr<KernelAnswer> EvaluateKernel(const MachineView& machine,
                                            const KernelQuestion& question);

}  // namespace cox::advise

#endif  // COX_ADVISE_KERNEL_H_
