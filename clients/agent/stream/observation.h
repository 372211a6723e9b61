// The API's Observation and ReportObservationsRequest as plain structures, with the fields that the
// agent sets (cox/v1/observation.proto says what they mean).
#ifndef COX_AGENT_STREAM_OBSERVATION_H_
#define COX_AGENT_STREAM_OBSERVATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "domain/pattern/sketch.h"

namespace cox::agent {

// The label of observations from synchronised samples.
inline constexpr char kSynchronisedRun[] = "synchronised";

struct Observation {
  std::string machine;
  std::string library;
  std::string collective;
  std::string algorithm;
  int64_t nodes = 0;
  int64_t ppn = 0;
  int64_t ranks = 0;
  int64_t block_bytes = 0;
  int64_t type_bytes = 0;
  int64_t count = 0;
  double time_s = 0;
  double stddev_s = 0;
  std::string statistic = "mean";  // or "min"
  std::string run;
  int64_t at_s = 0;  // since 1970, UTC
};

// How timings were taken; the API's numbers.
enum class Measurement { kBenchmark = 1, kJob = 2 };

// A batch has one measurement: the daemon keeps the two apart. Sketches are not spooled.
struct Batch {
  std::string job;
  std::string source;  // user@host
  int64_t sequence = 0;
  int64_t dropped_count = 0;  // timings lost since the previous batch
  std::vector<Observation> observations;
  std::vector<domain::PatternSketch> sketches{};
  Measurement measurement = Measurement::kJob;

  int64_t timing_count() const {
    int64_t count = 0;
    for (const Observation& observation : observations) count += observation.count;
    return count;
  }
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_OBSERVATION_H_
