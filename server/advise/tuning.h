// Decision tables, and their export in a library's own tuning format.
#ifndef COX_ADVISE_TUNING_H_
#define COX_ADVISE_TUNING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/machine_view.h"

namespace cox::advise {

// The chosen algorithm from block_bytes up to the next row. algorithm "default": leave it to the
// library.
struct DecisionRow {
  int64_t block_bytes = 0;
  std::string algorithm;
  int native_id = 0;  // 0 for "default"
  int64_t segment_bytes = 0;
  int64_t fanout = 0;
  double predicted_time_s = 0;
  double default_time_s = 0;
};

// One collective's rows, ascending, the first at 0, adjacent equal choices merged.
struct DecisionTable {
  std::string collective;
  std::vector<DecisionRow> rows;
};

struct TuningQuestion {
  std::string library;
  int64_t nodes = 1;
  int64_t ppn = 1;
  std::vector<std::string> collectives;  // empty: all that the library has rows for
  bool allow_commutative_only = false;   // also algorithms that are wrong for other operations
};

absl::StatusOr<std::vector<DecisionTable>> BuildDecisionTables(const MachineView& machine,
                                                               const TuningQuestion& question);

enum class TuningFormat { kFile, kEnvironment };

// The text for the library. `header_lines` are put in front as comments (machine, revision, date,
// command). kFile: Open MPI 4.1's rules file. kEnvironment: `export NAME=value` lines that force
// one algorithm per collective, possible only where a table has one choice (others are left out,
// with a comment saying so); also mpich-4.0. UNIMPLEMENTED for a library without an exporter.
absl::StatusOr<std::string> ExportTuning(const std::vector<DecisionTable>& tables,
                                         const TuningQuestion& question, TuningFormat format,
                                         const std::vector<std::string>& header_lines);

// Reads a rules file as Open MPI 4.1 would and returns what it would do wrong or silently: one line
// per finding, empty when the file is sound. Algorithms that are wrong for operations that do not
// commute are findings unless `allow_commutative_only`.
std::vector<std::string> CheckOpenMpiRules(absl::string_view text,
                                           bool allow_commutative_only = false);

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_H_
