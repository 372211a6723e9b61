// Starts cox-bench and reads what it measured. Not thread-safe.
#ifndef COX_CLI_MEASURE_BENCH_RUN_H_
#define COX_CLI_MEASURE_BENCH_RUN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/measure/bench_plan.h"
#include "cli/session.h"
#include "console/progress.h"

namespace cox::cli {

struct BenchRun {
  std::vector<std::string> launcher;  // words, all placeholders replaced
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  double budget_s = 0;
  std::string what;  // for messages: "messages", "bcast binomial"
};

// Runs jobs of cox-bench.
class BenchRunner {
 public:
  using OnProgress = std::function<void(const BenchProgress&)>;

  // `bench`: the program's path. The others must outlive the object.
  BenchRunner(Session& session, std::string bench, console::Progress& progress)
      : session_(session), bench_(std::move(bench)), progress_(progress) {}

  // Runs all at once; the rows of each, in order. CANCELLED after a signal. ABORTED if a job
  // failed: its last lines are then on err(). Good rows of a job of which a part failed are given,
  // with a warning.
  std::vector<absl::StatusOr<std::string>> Run(absl::Span<const BenchRun> runs,
                                               const OnProgress& on_progress);
  absl::StatusOr<std::string> Run(const BenchRun& run, const OnProgress& on_progress);

  // One line on err(), beside the progress.
  void Warn(absl::string_view text);

 private:
  Session& session_;
  const std::string bench_;
  console::Progress& progress_;
};

// The cells, library and shape of a job, read from its rows.
struct JobFacts {
  std::string library;
  int64_t nodes = 1;
  int64_t ppn = 1;
  int64_t ranks = 0;
  std::set<std::string> collectives;
  struct Cell {
    std::string collective;
    int64_t block_bytes = 0;
    int64_t type_bytes = 0;
  };
  std::vector<Cell> cells;
};

// Appends the rows in the interchange form, without a header. Returns the number of rows. ABORTED
// if there are none, or a row is bad. `facts` may be null.
absl::StatusOr<int64_t> TakeRows(const std::string& rows, std::string& observations_csv,
                                 JobFacts* facts);

}  // namespace cox::cli

#endif  // COX_CLI_MEASURE_BENCH_RUN_H_
