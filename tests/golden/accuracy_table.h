// A table of model errors in the form of Table VI of B. H. H. Juurlink, H. A. G. Wijshoff, A
// quantitative comparison of parallel computation models, ACM TOCS 16(3), 1998: a row per algorithm
// and model, a column per machine. A cell is the largest error over all inputs. Pure, any thread.
#ifndef COX_GOLDEN_ACCURACY_TABLE_H_
#define COX_GOLDEN_ACCURACY_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace cox::golden {

// A measured and a predicted time of one input (or rate: the error is the same).
struct AccuracySample {
  std::string algorithm;  // the row's label
  std::string model;
  std::string machine;
  double measured = 0;
  double predicted = 0;
};

struct AccuracyCell {
  double max_error = 0;       // a fraction; +inf: one of the two was 0, the error is not defined
  int64_t samples_count = 0;  // >= 1
};

struct AccuracyRow {
  std::string algorithm;
  std::string model;
  std::vector<absl::optional<AccuracyCell>> cells;  // one per machine; none: nothing was measured
};

struct AccuracyTable {
  std::vector<std::string> machines;
  std::vector<AccuracyRow> rows;
};

// Algorithms, models within an algorithm and machines are in the order of their first appearance.
// INVALID_ARGUMENT (field "samples[i].<name>") for an empty label or a value that ErrorOf()
// refuses. No samples: an empty table. O(samples log samples).
absl::StatusOr<AccuracyTable> MakeAccuracyTable(absl::Span<const AccuracySample> samples);

// "41 %", "6.8 %" (two digits below 10), "not defined" for an infinite error, "-" for no cell.
std::string FormatCell(const absl::optional<AccuracyCell>& cell);

// The table as text, columns aligned, a line per row and a first line of names.
std::string FormatAccuracyTable(const AccuracyTable& table);

}  // namespace cox::golden

#endif  // COX_GOLDEN_ACCURACY_TABLE_H_
