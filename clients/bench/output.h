// Writes the rows of a run as interchange CSV: to a file that appears only when complete, or
// stdout.
//
// One per job, on rank 0. One thread. Returns failures as a status; throws nothing.
#ifndef COX_BENCH_OUTPUT_H_
#define COX_BENCH_OUTPUT_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bench/block_plan.h"
#include "bench/options.h"
#include "bench/pattern_plan.h"
#include "bench/statistics.h"

namespace cox::bench {

// A ping-pong's row, without the columns that are equal in all rows.
struct PairRow {
  std::string level;  // "node" or "network"
  int64_t pairs = 1;
  int64_t block_bytes = 0;
};

// A collective's row, without the columns that are equal in all rows.
struct CollectiveRow {
  std::string collective;
  int64_t nodes = 1;
  int64_t ppn = 1;
  int64_t ranks = 1;
  int64_t block_bytes = 0;
  int64_t type_bytes = 1;
};

class Output {
 public:
  explicit Output(const Options& options) : options_(options) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Writes the header. Rows go to "<file>.part" until Close.
  absl::Status Open();

  // One row with the median, or one per sample with --raw.
  void Write(const PairRow& row, const std::vector<double>& times_s);
  void Write(const PatternCell& cell, const std::vector<double>& times_s);
  void Write(const BlockCell& cell, const std::vector<double>& times_s);
  void Write(const CollectiveRow& row, const std::vector<double>& times_s);

  // Gives the file its name. Reports an error of any earlier write.
  absl::Status Close();

 private:
  void WriteSample(const PatternCell& cell, int64_t pairs, const std::vector<double>& times_s);
  // All samples with --raw, otherwise their median.
  std::vector<double> Shown(const std::vector<double>& times_s) const;
  void Flush();

  const Options& options_;

  std::FILE* file_ = nullptr;
  int error_ = 0;          // errno of the first write that failed
  std::string part_path_;  // empty: writes to a device, a pipe or stdout
};

}  // namespace cox::bench

#endif  // COX_BENCH_OUTPUT_H_
