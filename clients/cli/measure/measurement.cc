#include "cli/measure/measurement.h"

#include <cox/v1/model.pb.h>
#include <cox/v1/observation.pb.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/files/interchange.h"
#include "cli/files/record_file.h"
#include "cli/methods.h"
#include "console/child_process.h"
#include "console/command_words.h"
#include "console/progress.h"
#include "library/run_time_number.h"

namespace cox::cli {
namespace {

constexpr size_t kUsualCoxcollRuns = 8;
// How many lines of a failed job's output are shown.
constexpr size_t kShownLines = 20;

// The job's library, ranks and collectives, read from one run's rows.
struct JobFacts {
  std::string library;
  int64_t ranks = 0;
  std::set<std::string> collectives;
};

class Measurement {
 public:
  Measurement(Session& session, const MeasureOptions& options, Measured& measured)
      : session_(session),
        options_(options),
        measured_(measured),
        run_(absl::FormatTime("calibrate-%Y%m%dT%H%M%SZ", absl::Now(), absl::UTCTimeZone())),
        progress_(&session.err(), console::ErrorColumns()) {
    progress_.Announce();
    measured_.observations_csv = ObservationHeader();
  }

  absl::Status Run() {
    const size_t rounds = options_.rank_counts.size();
    const double forced_s = RunTime(options_.effort.collective_budget_s);
    planned_s_ = RunTime(options_.effort.pair_budget_s) +
                 static_cast<double>(rounds * (1 + UsualForcedRuns())) * forced_s;
    absl::Status status = MeasurePairs();
    for (size_t i = 0; status.ok() && i < rounds; ++i) {
      status = MeasureCollectives(options_.rank_counts[i], rounds - i - 1);
    }
    progress_.Clear();
    return status;
  }

 private:
  static double RunTime(double budget_s) { return budget_s + kJobStart_s; }

  size_t UsualForcedRuns() const {
    return kUsualForcedRuns + (options_.with_coxcoll ? kUsualCoxcollRuns : 0);
  }

  absl::Status MeasurePairs() {
    const int64_t ranks =
        *std::max_element(options_.rank_counts.begin(), options_.rank_counts.end());
    absl::StatusOr<std::string> rows =
        Launch(ranks, PairArguments(options_.effort, options_.machine), {},
               options_.effort.pair_budget_s, "messages");
    if (!rows.ok()) return rows.status();
    measured_.samples_csv = *std::move(rows);
    return absl::OkStatus();
  }

  absl::Status MeasureCollectives(int64_t ranks, size_t later_rounds) {
    const double budget_s = options_.effort.collective_budget_s;
    absl::StatusOr<std::string> rows =
        Launch(ranks, CollectiveArguments(options_.effort, options_.machine, run_, {}), {},
               budget_s, "library's own choice");
    if (!rows.ok()) return rows.status();
    JobFacts facts;
    absl::Status status = Take(*rows, &facts);
    if (!status.ok()) return status;
    const std::string only = absl::StrCat("only ", facts.library, "'s own choice is measured");
    std::vector<ForcedRun> runs = Plan(facts.library, facts, only);
    if (options_.with_coxcoll) {
      const std::string coxcoll(library::kCoxcoll);
      absl::c_move(Plan(coxcoll, facts, "libcoxcoll is not measured"), std::back_inserter(runs));
    }
    planned_s_ = done_s_ + static_cast<double>(runs.size() + later_rounds * (1 + runs.size())) *
                               RunTime(budget_s);
    for (const ForcedRun& run : runs) {
      status = MeasureForced(ranks, run);
      if (absl::IsCancelled(status)) return status;
      if (!status.ok()) Warn(status.message());
    }
    return absl::OkStatus();
  }

  absl::Status MeasureForced(int64_t ranks, const ForcedRun& run) {
    absl::StatusOr<std::string> rows =
        Launch(ranks, CollectiveArguments(options_.effort, options_.machine, run_, run),
               run.environment, options_.effort.collective_budget_s,
               absl::StrCat(absl::StrJoin(run.algorithms, ", ", absl::PairFormatter(" ")),
                            run.library.empty() ? "" : " of ", run.library));
    if (!rows.ok()) return rows.status();
    return Take(*rows, nullptr);
  }

  // No runs, and a warning what follows, where the library's algorithms are not known.
  std::vector<ForcedRun> Plan(const std::string& library, const JobFacts& facts,
                              absl::string_view without) {
    v1::ListStrategiesRequest request;
    request.set_library(library);
    v1::ListStrategiesResponse strategies;
    const absl::Status status = session_.connection().Call(kListStrategies, request, strategies);
    absl::StatusOr<std::vector<ForcedRun>> runs =
        status.ok() ? PlanForcedRuns(library, strategies, facts.collectives, facts.ranks) : status;
    if (runs.ok()) return *std::move(runs);
    Warn(absl::StrCat(without, ": ", runs.status().message()));
    return {};
  }

  // One job; its rows.
  absl::StatusOr<std::string> Launch(int64_t ranks, const std::vector<std::string>& arguments,
                                     const std::map<std::string, std::string>& environment,
                                     double budget_s, const std::string& what) {
    console::ChildCommand command;
    command.words = console::LaunchWords(options_.programs.launcher, ranks);
    command.words.push_back(options_.programs.bench);
    command.words.insert(command.words.end(), arguments.begin(), arguments.end());
    command.environment = environment;
    command.limit_s = 60 + 4 * budget_s;
    std::deque<std::string> said;
    command.on_error_line = [&](absl::string_view line) {
      BenchProgress progress;
      if (ParseBenchProgress(line, progress)) {
        Show(progress, budget_s, ranks);
        return;
      }
      said.emplace_back(line);
      if (said.size() > kShownLines) said.pop_front();
    };
    absl::StatusOr<console::ChildResult> result = console::RunChild(command);
    done_s_ += RunTime(budget_s);
    if (result.ok() && result->exit_code == 0) return std::move(result->out);
    if (absl::IsCancelled(result.status())) return result.status();
    progress_.Clear();
    for (const std::string& line : said) session_.err() << "  " << line << '\n';
    const std::string why = result.ok()
                                ? absl::StrCat("cox-bench ended with exit code ", result->exit_code)
                                : std::string(result.status().message());
    // Rows that are there are good: a wrong result takes only its own row away.
    if (result.ok() && result->exit_code == 1 && absl::StrContains(result->out, "\n")) {
      Warn(absl::StrCat("some of ", what, " could not be measured (", why, ")"));
      return std::move(result->out);
    }
    return absl::AbortedError(
        absl::StrCat("measuring ", what, " failed: ", why,
                     "; the command was: ", console::JoinCommand(command.words)));
  }

  void Show(const BenchProgress& run, double budget_s, int64_t ranks) {
    const double run_s = RunTime(budget_s);
    const double left_s = run.left_s + std::max(0.0, planned_s_ - done_s_ - run_s);
    const double done_s = done_s_ + run.done_share * run_s;
    progress_.Update(std::min(1.0, done_s / std::max(planned_s_, done_s_ + run_s)),
                     absl::StrCat(console::TimeLeft(left_s), ": ", ranks, " ranks, ", run.what));
  }

  void Warn(absl::string_view text) {
    progress_.Clear();
    session_.Note(absl::StrCat("warning: ", text));
  }

  // Adds a run's rows to what was measured.
  absl::Status Take(const std::string& rows, JobFacts* facts) {
    absl::StatusOr<std::unique_ptr<RecordFile>> file =
        RecordFile::FromText(rows, "cox-bench", ObservationColumns());
    if (!file.ok()) return absl::AbortedError(file.status().message());
    v1::Observation observation;
    int64_t count = 0;
    while ((*file)->Next()) {
      absl::Status status = ParseObservation(**file, observation);
      if (!status.ok()) return absl::AbortedError(status.message());
      absl::StrAppend(&measured_.observations_csv, ObservationRow(observation));
      measured_.nodes = std::max(measured_.nodes, observation.nodes());
      measured_.ppn = std::max(measured_.ppn, observation.ppn());
      ++count;
      if (facts == nullptr) continue;
      facts->library = observation.library();
      facts->ranks = observation.ranks();
      facts->collectives.insert(observation.collective());
    }
    measured_.observation_count += count;
    if (count == 0) return absl::AbortedError("cox-bench gave no rows");
    return absl::OkStatus();
  }

  Session& session_;
  const MeasureOptions& options_;
  Measured& measured_;
  // Algorithms are compared only within one run: all jobs of this measurement are one.
  std::string run_;
  console::Progress progress_;
  double planned_s_ = 0;  // all of the measurement
  double done_s_ = 0;     // the jobs that have ended
};

}  // namespace

absl::Status MeasureMachine(Session& session, const MeasureOptions& options, Measured& measured) {
  return Measurement(session, options, measured).Run();
}

}  // namespace cox::cli
