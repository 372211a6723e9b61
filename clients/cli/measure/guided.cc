#include "cli/measure/guided.h"

#include <cox/v1/advice.pb.h>
#include <cox/v1/model.pb.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/files/interchange.h"
#include "cli/measure/bench_run.h"
#include "cli/measure/round_plan.h"
#include "cli/methods.h"
#include "console/child_process.h"
#include "console/progress.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 10;
// Less than this is spent on starting jobs and asking.
constexpr double kLeastRound_s = 5;
constexpr int32_t kSuggestionCount = 500;
// Weighing thousands of places takes longer than an ordinary call.
constexpr double kSuggestTimeout_s = 60;
// Cells of a short calibration.
constexpr double kShortBudget_s = 60;
constexpr double kShortCell_s = 0.1;
constexpr char kDefaultAlgorithm[] = "default";

struct Shape {
  int64_t nodes = 1;
  int64_t ppn = 1;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string Percent(double share) { return absl::StrFormat("%.2g %%", 100 * share); }

class Guided {
 public:
  Guided(Session& session, const GuidedOptions& options, const StorePart& store,
         const KeepMeasured& keep)
      : session_(session),
        options_(options),
        store_(store),
        keep_(keep),
        run_(NewRunName()),
        progress_(&session.err(), console::ErrorColumns()),
        runner_(session, options.measure.programs.bench, progress_) {
    progress_.Announce();
    if (options.budget_s < kShortBudget_s) costs_.cell_s = kShortCell_s;
    most_ranks_ =
        *std::max_element(options.measure.rank_counts.begin(), options.measure.rank_counts.end());
  }

  absl::Status Run() {
    absl::Status status = MeasureFirst();
    if (status.ok()) status = ListAlgorithms();
    if (status.ok() && !strategies_.strategies().empty()) status = MeasureRounds();
    progress_.Clear();
    return status.ok() ? status : keep_(status, part_);
  }

 private:
  using Key = std::tuple<std::string, std::string, int64_t, int64_t>;
  static Key KeyOf(const v1::MeasurementCandidate& one) {
    return {one.collective(), one.algorithm(), one.ranks(), one.block_bytes()};
  }

  double Elapsed() const { return SecondsSince(start_); }
  double Left() const { return options_.budget_s - Elapsed(); }
  int64_t host_count() const { return static_cast<int64_t>(options_.hosts.size()); }

  // The words that start a job on `nodes` hosts from number `first` on.
  std::vector<std::string> Launcher(int64_t ranks, int64_t ppn, int64_t first,
                                    int64_t nodes) const {
    const std::vector<std::string>& words = options_.measure.programs.launcher;
    if (options_.hosts.empty()) return console::LaunchWords(words, ranks);
    const auto begin = options_.hosts.begin() + first;
    return console::LaunchWords(words, console::PlacedJob{ranks, ppn, {begin, begin + nodes}});
  }

  std::vector<std::string> WholeLauncher() const {
    const int64_t hosts = std::max<int64_t>(1, host_count());
    const int64_t ppn = (most_ranks_ + hosts - 1) / hosts;
    return Launcher(most_ranks_, ppn, 0, host_count() == 0 ? 0 : (most_ranks_ + ppn - 1) / ppn);
  }

  absl::StatusOr<std::string> LaunchWhole(std::vector<std::string> arguments, double budget_s,
                                          const std::string& what) {
    const BenchRun run{.launcher = WholeLauncher(),
                       .arguments = std::move(arguments),
                       .environment = {},
                       .budget_s = budget_s,
                       .what = what};
    return runner_.Run(run, [this](const BenchProgress& progress) { Show(progress.what); });
  }

  void Show(const std::string& what) {
    progress_.Update(std::clamp(Elapsed() / options_.budget_s, 0.0, 1.0),
                     absl::StrCat(console::TimeLeft(std::max(1.0, Left())), " at most: ", what));
  }

  // Messages, and the library's own choices on the most ranks.
  absl::Status MeasureFirst() {
    const BenchEffort& effort = options_.measure.effort;
    const std::string& machine = options_.measure.machine;
    absl::StatusOr<std::string> rows =
        LaunchWhole(PairArguments(effort, machine), effort.pair_budget_s, "messages");
    if (!rows.ok()) return rows.status();
    part_.samples_csv = *std::move(rows);
    part_.observations_csv = ObservationHeader();
    const auto start = Clock::now();
    rows = LaunchWhole(CollectiveArguments(effort, machine, run_, {}), effort.collective_budget_s,
                       "library's own choice");
    if (!rows.ok()) return rows.status();
    Learn(kJobStart_s + effort.collective_budget_s, start);
    const absl::StatusOr<int64_t> count = TakeRows(*rows, part_.observations_csv, &first_);
    if (!count.ok()) return count.status();
    part_.observation_count = *count;
    part_.nodes = first_.nodes;
    part_.ppn = first_.ppn;
    for (const JobFacts::Cell& cell : first_.cells) {
      tried_.insert({cell.collective, kDefaultAlgorithm, first_.ranks, cell.block_bytes});
    }
    shapes_[first_.ranks] = {first_.nodes, first_.ppn};
    return Store();
  }

  // Hands over the part that was measured.
  absl::Status Store() {
    progress_.Clear();
    return store_(std::exchange(part_, {}));
  }

  // None, and a warning, where the library's algorithms are not known or cannot be forced.
  absl::Status ListAlgorithms() {
    v1::ListStrategiesRequest request;
    request.set_library(first_.library);
    absl::Status status = session_.connection().Call(kListStrategies, request, strategies_);
    if (status.ok()) {
      status = ForceableAlgorithms(first_.library, strategies_, first_.collectives, first_.ranks)
                   .status();
    }
    if (status.ok()) return status;
    runner_.Warn(
        absl::StrCat("only ", first_.library, "'s own choice is measured: ", status.message()));
    strategies_.Clear();
    return absl::OkStatus();
  }

  // The nodes of a job, as far as its rows have not said it.
  Shape ShapeOf(int64_t ranks) const {
    const auto known = shapes_.find(ranks);
    if (known != shapes_.end()) return known->second;
    const int64_t ppn = std::min(ranks, first_.ppn);
    return {(ranks + ppn - 1) / ppn, ppn};
  }

  v1::SuggestMeasurementsRequest Candidates() const {
    v1::SuggestMeasurementsRequest request;
    request.set_machine(options_.measure.machine);
    request.set_library(first_.library);
    request.set_count(kSuggestionCount);
    for (const int64_t ranks : options_.measure.rank_counts) {
      const auto forceable =
          ForceableAlgorithms(first_.library, strategies_, first_.collectives, ranks);
      for (const JobFacts::Cell& cell : first_.cells) {
        AddCandidate(cell, ranks, kDefaultAlgorithm, request);
        for (const v1::Strategy* strategy : *forceable) {
          if (strategy->collective() != cell.collective) continue;
          AddCandidate(cell, ranks, strategy->native_name(), request);
        }
      }
    }
    return request;
  }

  // Calls that the candidates name.
  size_t CallCount() const { return options_.measure.rank_counts.size() * first_.cells.size(); }

  void AddCandidate(const JobFacts::Cell& cell, int64_t ranks, const std::string& algorithm,
                    v1::SuggestMeasurementsRequest& request) const {
    const Shape shape = ShapeOf(ranks);
    v1::MeasurementCandidate& candidate = *request.add_candidates();
    candidate.set_collective(cell.collective);
    candidate.set_algorithm(algorithm);
    candidate.set_nodes(shape.nodes);
    candidate.set_ppn(shape.ppn);
    candidate.set_ranks(ranks);
    candidate.set_block_bytes(cell.block_bytes);
    candidate.set_type_bytes(cell.type_bytes);
  }

  absl::Status MeasureRounds() {
    const double round_s = std::max(kLeastRound_s, Left() / kRounds);
    std::string measured = absl::StrCat(first_.library, "'s own choices are measured");
    for (int round = 1;; ++round) {
      v1::SuggestMeasurementsResponse answer;
      session_.connection().AllowAtLeast(kSuggestTimeout_s);
      absl::Status status = session_.connection().Call(kSuggestMeasurements, Candidates(), answer);
      if (!status.ok()) return status;
      if (signals_.interrupted()) return absl::CancelledError("interrupted");
      std::vector<const v1::SuggestedMeasurement*> fresh;
      for (const v1::SuggestedMeasurement& one : answer.suggestions()) {
        if (!tried_.contains(KeyOf(one.measurement()))) fresh.push_back(&one);
      }
      // Gains of algorithms of one call overlap: no minute saves more than what is lost.
      const double worth =
          std::min(WorthOfMinute(fresh, costs_, host_count()), answer.expected_loss_ratio());
      progress_.Clear();
      session_.Note(absl::StrCat(measured, ": today's decisions should waste ",
                                 Percent(answer.expected_loss_ratio()), " of the time in the ",
                                 CallCount(), " calls of this run; another minute should save ",
                                 Percent(worth)));
      if (fresh.empty()) return Stop("every algorithm was measured");
      if (worth < kLeastWorth) {
        return Stop(
            absl::StrCat("another minute is not worth it (less than ", Percent(kLeastWorth), ")"));
      }
      const RoundPlan plan = PlanRound(fresh, costs_, host_count(), std::min(round_s, Left()));
      if (plan.time_s > Left()) return Stop("the time is spent");
      const auto start = Clock::now();
      status = MeasureRound(plan);
      if (!status.ok()) return status;
      measured = absl::StrFormat("round %d: %s by %s in %.1f s", round,
                                 domain::Counted(plan.cell_count, "cell"),
                                 domain::Counted(plan.job_count, "job"), SecondsSince(start));
    }
  }

  absl::Status Stop(absl::string_view why) {
    session_.Note(
        absl::StrFormat("stopped after %.0f of %.0f s: %s", Elapsed(), options_.budget_s, why));
    session_.Note(
        "note: the share rises where a timing shows a decision to be worse than believed. `cox "
        "suggest` asks about other ranks and sizes, too, so it says another share");
    return absl::OkStatus();
  }

  absl::Status MeasureRound(const RoundPlan& plan) {
    part_.observations_csv = ObservationHeader();
    for (const std::vector<PlannedJob>& wave : plan.waves) {
      std::vector<BenchRun> runs;
      double wave_s = 0;
      int64_t first_host = 0;
      for (const PlannedJob& job : wave) {
        runs.push_back(RunOf(job, first_host));
        first_host += job.nodes;
        wave_s = std::max(wave_s, costs_.start_s + job.cells_s);
      }
      const auto start = Clock::now();
      const std::vector<absl::StatusOr<std::string>> rows =
          runner_.Run(runs, [this](const BenchProgress& progress) { Show(progress.what); });
      Learn(wave_s, start);
      absl::Status status;
      for (size_t i = 0; i < wave.size(); ++i) status.Update(Take(wave[i], rows[i]));
      if (!status.ok()) return status;
    }
    return part_.observation_count == 0 ? absl::OkStatus() : Store();
  }

  BenchRun RunOf(const PlannedJob& job, int64_t first_host) const {
    ForcedRun forced;
    for (const v1::Strategy& strategy : strategies_.strategies()) {
      const auto found = job.algorithms.find(strategy.collective());
      if (found != job.algorithms.end() && found->second == strategy.native_name()) {
        Force(first_.library, strategy, forced);
      }
    }
    return {
        .launcher = Launcher(job.ranks, job.ppn, first_host, job.nodes),
        .arguments = CellArguments(job.cells, job.cells_s, options_.measure.machine, run_, forced),
        .environment = forced.environment,
        .budget_s = job.cells_s,
        .what = absl::StrCat(domain::Counted(job.ranks, "rank"), ", ",
                             absl::StrJoin(job.algorithms, ", ", absl::PairFormatter(" ")))};
  }

  // A job that failed is not tried again.
  absl::Status Take(const PlannedJob& job, const absl::StatusOr<std::string>& rows) {
    for (const BenchCell& cell : job.cells) {
      tried_.insert(
          {cell.collective, job.algorithms.at(cell.collective), job.ranks, cell.block_bytes});
    }
    if (absl::IsCancelled(rows.status())) return rows.status();
    if (!rows.ok()) {
      runner_.Warn(rows.status().message());
      return absl::OkStatus();
    }
    JobFacts facts;
    const absl::StatusOr<int64_t> count = TakeRows(*rows, part_.observations_csv, &facts);
    if (!count.ok()) {
      runner_.Warn(count.status().message());
      return absl::OkStatus();
    }
    part_.observation_count += *count;
    shapes_[job.ranks] = {facts.nodes, facts.ppn};
    return absl::OkStatus();
  }

  // What jobs really cost.
  void Learn(double expected_s, Clock::time_point start) {
    expected_s_ += expected_s;
    spent_s_ += SecondsSince(start);
    costs_.slowness = spent_s_ / expected_s_;
  }

  Session& session_;
  const GuidedOptions& options_;
  const StorePart& store_;
  const KeepMeasured& keep_;
  // From the first job on, a signal between two jobs must not hide what was stored.
  const console::SignalScope signals_;
  const Clock::time_point start_ = Clock::now();
  // Algorithms are compared only within one run: all jobs of this measurement are one.
  const std::string run_;
  Measured part_;  // measured and not handed over
  console::Progress progress_;
  BenchRunner runner_;
  int64_t most_ranks_ = 2;
  JobFacts first_;  // of the first job of collectives
  v1::ListStrategiesResponse strategies_;
  std::map<int64_t, Shape> shapes_;  // by ranks, as rows said them
  std::set<Key> tried_;
  JobCosts costs_;
  double expected_s_ = 0;
  double spent_s_ = 0;
};

}  // namespace

absl::Status MeasureByWorth(Session& session, const GuidedOptions& options, const StorePart& store,
                            const KeepMeasured& keep) {
  return Guided(session, options, store, keep).Run();
}

}  // namespace cox::cli
