// The local work of whole programs, as `cox-bench suite -o` measured it: the seconds of one
// operation of a kernel. Pure, any thread.
#ifndef COX_CLI_FILES_MEASURED_STEPS_H_
#define COX_CLI_FILES_MEASURED_STEPS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::cli {

struct MeasuredStep {
  double step_s = 0;       // the median of all runs
  double std_error_s = 0;  // how far a run's step is from it; as large as step_s for one run
  int64_t runs = 0;
  std::string kernels;  // "apsp-1, matmul-3d"
};

// From the rows of this kernel, with or without its variant; of all kernels if it is "". A run
// counts once, however many models priced it. Runs without local work or operations do not
// count. INVALID_ARGUMENT for a malformed row, with its line, a missing column, or no run that
// counts.
absl::StatusOr<MeasuredStep> ReadMeasuredStep(absl::string_view csv, absl::string_view kernel);

}  // namespace cox::cli

#endif  // COX_CLI_FILES_MEASURED_STEPS_H_
