// Measures a machine with cox-bench: messages, collectives with the library's default, then with
// each of its algorithms and, if wished, with each of libcoxcoll's. Shows its progress. Asks the
// daemon only which algorithms a library has. Not thread-safe.
#ifndef COX_CLI_MEASURE_MEASUREMENT_H_
#define COX_CLI_MEASURE_MEASUREMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/measure/bench_plan.h"
#include "cli/session.h"
#include "console/launcher.h"

namespace cox::cli {

struct MeasureOptions {
  std::string machine;  // bare name
  console::MpiPrograms programs;
  std::vector<int64_t> rank_counts;  // each >= 2; messages are measured with the largest
  BenchEffort effort;
  bool with_coxcoll = false;
};

struct Measured {
  std::string samples_csv;       // interchange form: point-to-point
  std::string observations_csv;  // interchange form: observations
  int64_t observation_count = 0;
  // The shape of the jobs.
  int64_t nodes = 1;
  int64_t ppn = 1;
};

// "calibrate-20261128T031500Z-1f0c9a3e": the run of a measurement's rows, another one each time.
std::string NewRunName();

// CANCELLED after a signal; ABORTED where a run that everything rests on failed (what it said is
// then on err()): that of the messages, or of the defaults while no collective is measured. Other
// failed runs are only reported on err(), and the rest goes on. After an error `measured` has what
// was measured before.
absl::Status MeasureMachine(Session& session, const MeasureOptions& options, Measured& measured);

}  // namespace cox::cli

#endif  // COX_CLI_MEASURE_MEASUREMENT_H_
