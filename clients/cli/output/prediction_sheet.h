// Collects the answers to a sweep and writes them as a table, a matrix, CSV or a plot. Not
// thread-safe.
#ifndef COX_CLI_OUTPUT_PREDICTION_SHEET_H_
#define COX_CLI_OUTPUT_PREDICTION_SHEET_H_

#include <cox/v1/advice.pb.h>

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/options/verb.h"
#include "cli/session.h"

namespace cox::cli {

// Where a sweep goes besides the screen. Empty: nowhere.
struct SheetFiles {
  std::string csv;   // "-": standard output, in the place of the table
  std::string plot;  // SVG
  bool any() const { return !csv.empty() || !plot.empty(); }
};
// "--csv FILE"; "--plot FILE.svg" only where `with_plot`.
void AddSheetOptions(Verb app, SheetFiles& files, bool with_plot);
// A usage error where both CSV and JSON are to go to standard output.
absl::Status CheckSheetFiles(const SheetFiles& files, const GlobalOptions& global);

// Writes `text` to the file, or to session.out() for "-".
absl::Status WriteSheet(Session& session, const std::string& path, const std::string& text);

class PredictionSheet {
 public:
  struct Words {
    std::string title;        // "alltoall on delta"
    std::string what;         // "strategy", "route", "kernel": what Prediction.strategy is
    std::string size_column;  // "block_bytes", "size"
    std::string size_label;   // of the plot's axis: "bytes of a block"
    bool size_is_bytes = true;
  };
  explicit PredictionSheet(Words words) : words_(std::move(words)) {}

  // ranks 0, size -1: there is none to show.
  void Add(int64_t ranks, int64_t size, const v1::Prediction& prediction) {
    rows_.push_back({ranks, size, prediction});
  }

  // Of an answer as a whole.
  void AddCaveat(const std::string& caveat) { caveats_.insert(caveat); }

  // A matrix of strategies and models, with the spread between models, where there is one point and
  // more than one model; otherwise a row for each prediction. Caveats follow.
  void Print(std::ostream& out) const;

  // RFC 4180: ranks, the size, model, what, time_s, units, cpu_time_s, a column for each term, and
  // the caveat.
  std::string Csv() const;

  // Times over size, or over ranks where there is one size only; units where no model tells
  // seconds.
  absl::StatusOr<std::string> Svg() const;

  // Prints, or with --csv - writes there; then writes the files.
  absl::Status Show(Session& session, const SheetFiles& files) const;

 private:
  struct Row {
    int64_t ranks;
    int64_t size;
    v1::Prediction prediction;
  };

  std::string SizeText(int64_t size) const;
  bool IsOnePoint() const;
  // In order of first appearance.
  std::vector<std::string> Models() const;
  void PrintMatrix(std::ostream& out, const std::vector<std::string>& models) const;
  void PrintRows(std::ostream& out) const;
  void PrintCaveats(std::ostream& out) const;

  Words words_;
  std::vector<Row> rows_;
  std::set<std::string> caveats_;
};

// "12.3 µs", or "4096 units" where no unit time is stated.
std::string AmountText(const v1::Prediction& prediction);
std::string AmountText(double time_s, bool is_units);
// Seconds, or units where there are no seconds.
double AmountOf(const v1::Prediction& prediction);
bool IsInUnits(const v1::Prediction& prediction);
// "startup 3.1 µs + bandwidth 2 µs", the largest first.
std::string TermsText(const v1::Prediction& prediction);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_PREDICTION_SHEET_H_
