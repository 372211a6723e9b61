// The outcome of an experiment: the measured times and each model's predictions. Pure: texts in,
// numbers out. Any thread.
#ifndef COX_BENCH_SUITE_OUTCOME_H_
#define COX_BENCH_SUITE_OUTCOME_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/suite/plan.h"

namespace cox::bench {

// A line of an example: one run by one algorithm.
struct Measurement {
  std::string algorithm;
  double time_s = 0;  // work and communication
  double communication_s = 0;
  double work_s = 0;
  double exchange_s = 0;  // of the communication: the exchanges of blocks
  int64_t exchanges = 0;  // of all ranks with all
};

// The measurements that an example printed. INVALID_ARGUMENT: a line without a number that it
// should have. FAILED_PRECONDITION: it found its own result wrong.
absl::StatusOr<std::vector<Measurement>> ParseMeasurements(absl::string_view text);

// Seconds of communication by model; of a pattern, by route first. "" is the only route of a
// kernel.
struct Forecast {
  std::map<std::string, std::map<std::string, double>> communication_s;
  double operations = 0;  // of a kernel's busiest rank
};

// Reads the document of `cox --json kernel` or `cox --json pattern`, and returns the times without
// local work. Leaves out models that answer in units only. INVALID_ARGUMENT for any other document.
absl::StatusOr<Forecast> ParseForecast(absl::string_view json, bool is_kernel);

struct Outcome {
  Experiment experiment;
  std::vector<Measurement> measurements;
  Forecast forecast;
};

// The two times from which the error of a model's prediction is computed.
struct Comparison {
  double measured_s = 0;
  double predicted_s = 0;
};

// For a kernel: the whole time, with the measured work, or the communication alone. For an
// exchange: one exchange. False if the model has no prediction for this algorithm.
bool Compare(const Outcome& outcome, const Measurement& measurement, const std::string& model,
             Comparison* comparison);

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_OUTCOME_H_
