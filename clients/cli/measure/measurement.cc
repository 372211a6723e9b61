#include "cli/measure/measurement.h"

#include <cox/v1/model.pb.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/files/interchange.h"
#include "cli/measure/bench_run.h"
#include "cli/methods.h"
#include "cli/resource_names.h"
#include "console/progress.h"
#include "domain/words/counted.h"
#include "library/run_time_number.h"

namespace cox::cli {
namespace {

constexpr size_t kUsualCoxcollRuns = 8;

class Measurement {
 public:
  Measurement(Session& session, const MeasureOptions& options, Measured& measured)
      : session_(session),
        options_(options),
        measured_(measured),
        run_(NewRunName()),
        progress_(&session.err(), console::ErrorColumns()),
        runner_(session, options.programs.bench, progress_) {
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
      if (status.ok() || absl::IsCancelled(status) || measured_.observation_count == 0) continue;
      runner_.Warn(absl::StrCat("no timings with ",
                                domain::Counted(options_.rank_counts[i], "rank"), ": ",
                                status.message()));
      status = absl::OkStatus();
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
    absl::Status status = Take(*rows, facts);
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
      if (!status.ok()) runner_.Warn(status.message());
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
    JobFacts facts;
    return Take(*rows, facts);
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
    runner_.Warn(absl::StrCat(without, ": ", runs.status().message()));
    return {};
  }

  // One job; its rows.
  absl::StatusOr<std::string> Launch(int64_t ranks, std::vector<std::string> arguments,
                                     std::map<std::string, std::string> environment,
                                     double budget_s, std::string what) {
    const BenchRun run{.launcher = console::LaunchWords(options_.programs.launcher, ranks),
                       .arguments = std::move(arguments),
                       .environment = std::move(environment),
                       .budget_s = budget_s,
                       .what = std::move(what)};
    absl::StatusOr<std::string> rows =
        runner_.Run(run, [&](const BenchProgress& progress) { Show(progress, budget_s, ranks); });
    done_s_ += RunTime(budget_s);
    return rows;
  }

  void Show(const BenchProgress& run, double budget_s, int64_t ranks) {
    const double run_s = RunTime(budget_s);
    const double left_s = run.left_s + std::max(0.0, planned_s_ - done_s_ - run_s);
    const double done_s = done_s_ + run.done_share * run_s;
    progress_.Update(std::min(1.0, done_s / std::max(planned_s_, done_s_ + run_s)),
                     absl::StrCat(console::TimeLeft(left_s), ": ", domain::Counted(ranks, "rank"),
                                  ", ", run.what));
  }

  // Adds a run's rows to what was measured.
  absl::Status Take(const std::string& rows, JobFacts& facts) {
    const absl::StatusOr<int64_t> count = TakeRows(rows, measured_.observations_csv, &facts);
    if (!count.ok()) return count.status();
    measured_.nodes = std::max(measured_.nodes, facts.nodes);
    measured_.ppn = std::max(measured_.ppn, facts.ppn);
    measured_.observation_count += *count;
    return absl::OkStatus();
  }

  Session& session_;
  const MeasureOptions& options_;
  Measured& measured_;
  // Algorithms are compared only within one run: all jobs of this measurement are one.
  std::string run_;
  console::Progress progress_;
  BenchRunner runner_;
  double planned_s_ = 0;  // all of the measurement
  double done_s_ = 0;     // the jobs that have ended
};

}  // namespace

std::string NewRunName() {
  return absl::StrCat(
      absl::FormatTime("calibrate-%Y%m%dT%H%M%SZ-", absl::Now(), absl::UTCTimeZone()),
      NewUuid().substr(0, 8));
}

absl::Status MeasureMachine(Session& session, const MeasureOptions& options, Measured& measured) {
  return Measurement(session, options, measured).Run();
}

}  // namespace cox::cli
