// The input of learning: point-to-point samples of a calibration, and cells of observations.
#ifndef COX_LEARN_SAMPLES_H_
#define COX_LEARN_SAMPLES_H_

#include <cstdint>
#include <string>

#include "domain/cell_key.h"
#include "domain/level.h"

namespace cox::learn {

// One timing of a calibration, as the interchange file has it.
struct Sample {
  std::string kind;  // "pingpong", "gap", ...: see sample_kinds.h
  domain::Level level = domain::Level::kNetwork;
  std::string pattern;  // free label
  int64_t pairs = 1;    // pairs active at once per node
  int64_t block_bytes = 0;
  double time_s = 0;  // one way for a ping-pong
  // For other kinds than ping-pongs. 0: two ranks per pair, one message, half of the ranks send.
  int64_t ranks = 0;
  int64_t messages = 0;  // that the busiest rank sends or receives
  int64_t senders = 0;
};

// The summary of one scenario's timings. Logarithms are natural, of seconds.
struct Cell : domain::ScenarioKey {
  domain::CellKind kind = domain::CellKind::kBenchmark;
  double weight = 1;             // timings, without contradicted ones
  double observations = 1;       // reports, whatever number of timings each claims
  double mean_log_time = 0;      // a robust location (robust_location.h)
  double variance_log_time = 0;  // between observations; 0: not known
  // The number of the one untrusted reporter of all observations (domain::ReporterNumber()); 0:
  // several have reported, or an operator has.
  int64_t only_reporter = 0;
  // Of a cell from before a drift (AgedBy() of drift.h): its timings, of which `weight` keeps one
  // at most, and by how much it was moved. 0: the cell is from after the last drift.
  double timings_before_drift = 0;
  double drift_log_factor = 0;
};

}  // namespace cox::learn

#endif  // COX_LEARN_SAMPLES_H_
