#include "advise/tuning/explore.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "advise/recommend.h"
#include "advise/tuning/job_advice.h"
#include "advise/tuning/job_beliefs.h"
#include "domain/cell_key.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "learn/structure.h"
#include "topology/powers_of_two.h"

namespace cox::advise {
namespace {

// The least worth of a trial, a share of the time at its sizes: a switch needs more anyway.
constexpr double kWorthTrying = 0.02;
// An algorithm that is expected to take more than this many times as long is not tried.
constexpr double kMostTimes = 10;
// With this many timings at a size an algorithm is known there ...
constexpr double kEnoughTimings = 3;
// ... unless calls are sampled there, none of its calls was, and fewer than this many samples were
// to be expected from how often other calls were sampled ...
constexpr double kMissedSamples = 3;
// ... and it has been called less often than this. After so many calls several samples were due
// (docs/agent.md: gaps of some hundred calls at most), and no budget allowed them. So trials end.
constexpr double kMostUnsampled = 2000;
// A trial is of one job, and a choice of many. So an algorithm with more than kMostUnsampled calls
// at a size, and more than this many times the share of all calls there, was chosen for earlier
// jobs: its further calls are no cost of trials.
constexpr double kMostShares = 2;

// A number in [0, 1) that changes with the observations: the same view gives the same answer.
double Draw(double seed, int salt) {
  uint64_t bits = std::bit_cast<uint64_t>(seed) + 0x9e3779b97f4a7c15 * (uint64_t(salt) + 1);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

// The observations of one (collective, range of sizes) under the job's shape.
struct ExploredPlace {
  domain::Collective collective;
  SizeRange range;
  std::map<int64_t, double> time_s;       // spent at each size, all algorithms together
  std::map<std::string, double> timings;  // by algorithm
  std::map<std::string, double> samples;  // by algorithm, with ranks that entered together
  // Over the present choice, by algorithm that is neither it nor the default.
  std::map<std::string, double> excess_s;
  double spent_s = 0;  // at all sizes
};

struct Trial {
  const ExploredPlace* place = nullptr;
  JobBeliefs* beliefs = nullptr;  // of the place's collective
  Candidate candidate;
  std::string name;  // FullName() of the candidate
  std::string instead_of;
  double worth_s = 0;  // what it saves later jobs
  double cost_s = 0;   // expected excess

  void Reweigh() { worth_s = beliefs->WorthOf(name, place->range); }
  bool IsWorthTrying() const { return worth_s >= kWorthTrying * place->spent_s; }
};

// More worth per second of cost. Trials without a cost come first.
bool IsBetterTrial(const Trial& a, const Trial& b) {
  const double a_gain = a.worth_s * b.cost_s;
  const double b_gain = b.worth_s * a.cost_s;
  return a_gain != b_gain ? a_gain > b_gain : a.worth_s > b.worth_s;
}

class Planner {
 public:
  Planner(const MachineView& machine, const TuningQuestion& question,
          absl::FunctionRef<bool(domain::Collective)> tells_sizes_apart,
          absl::Span<library::DecisionTable> tables, domain::CallerWatch* watch)
      : machine_(machine), question_(question), tables_(tables), watch_(*watch) {
    std::vector<const learn::Cell*> samples;
    for (const learn::Cell& cell : machine.cells) {
      const auto collective = domain::ParseCollective(cell.collective);
      if (!collective.ok() || !IsOfJob(cell) || TableOf(cell.collective) == nullptr) continue;
      if (cell.kind == domain::CellKind::kJob) {
        Add(cell, *collective, tells_sizes_apart(*collective));
      } else {
        samples.push_back(&cell);
      }
    }
    for (const learn::Cell* sample : samples) {
      const auto collective = domain::ParseCollective(sample->collective);
      const auto place =
          places_.find({*collective, FromBytes(*sample, tells_sizes_apart(*collective))});
      if (place != places_.end()) place->second.samples[NameOf(*sample)] += sample->weight;
    }
    for (const auto& [key, place] : places_) total_s_ += place.spent_s;
  }

  void Run(double share) {
    if (!(total_s_ > 0) || CostOfTrials(share) > share * total_s_) return;
    std::map<domain::Collective, JobBeliefs> beliefs = BeliefsOfJob();
    std::vector<Trial> trials;
    for (const auto& [key, place] : places_) {
      if (watch_.IsGone()) return;
      FindTrials(place, &beliefs.at(place.collective), &trials);
    }
    double left_s = share * total_s_;
    int salt = 0;
    while (!watch_.IsGone()) {
      std::erase_if(trials, [](const Trial& trial) { return !trial.IsWorthTrying(); });
      const auto best = std::min_element(trials.begin(), trials.end(), IsBetterTrial);
      if (best == trials.end()) return;
      const Trial trial = *best;
      // A trial that costs more than is left runs only in some jobs: on average it costs what is
      // left.
      const bool granted = trial.cost_s <= left_s || Draw(total_s_, salt++) * trial.cost_s < left_s;
      left_s = std::max(0.0, left_s - trial.cost_s);
      // A range of sizes has one trial at a time.
      std::erase_if(trials, [&](const Trial& other) { return other.place == trial.place; });
      if (!granted) continue;
      Write(trial);
      trial.beliefs->Take(trial.name, trial.place->range);
      for (Trial& other : trials) {
        if (other.beliefs == trial.beliefs && other.name == trial.name) other.Reweigh();
      }
    }
  }

 private:
  static double SumOf(const std::map<std::string, double>& counts) {
    double sum = 0;
    for (const auto& [name, count] : counts) sum += count;
    return sum;
  }

  // Whether the cell has the job's shape and one of its libraries.
  bool IsOfJob(const learn::Cell& cell) const {
    const library::TunedJob& job = question_.job;
    const bool is_of_library =
        cell.library == job.library || cell.library == question_.second_library;
    return is_of_library && cell.nodes == job.nodes && cell.ppn == job.ppn &&
           cell.ranks == job.ranks();
  }

  library::DecisionTable* TableOf(absl::string_view collective) const {
    for (library::DecisionTable& table : tables_) {
      if (table.collective == collective) return &table;
    }
    return nullptr;
  }

  // The name of a cell's algorithm.
  std::string NameOf(const learn::Cell& cell) const {
    const bool is_own = cell.library == question_.job.library;
    return FullName(is_own ? "" : absl::string_view(cell.library), cell.algorithm);
  }

  static const library::DecisionRow& RowAt(const library::DecisionTable& table, int64_t bytes) {
    size_t i = table.rows.size() - 1;
    while (i > 0 && table.rows[i].block_bytes > bytes) --i;
    return table.rows[i];
  }

  // Where the cell's place begins. A place reaches from a power of two to the next one.
  static int64_t FromBytes(const learn::Cell& cell, bool by_size) {
    return by_size ? topology::LargestPowerOfTwo(cell.block_bytes) : 0;
  }

  void Add(const learn::Cell& cell, domain::Collective collective, bool by_size) {
    const int64_t from = FromBytes(cell, by_size);
    ExploredPlace& place = places_[{collective, from}];
    place.collective = collective;
    place.range = {from, by_size ? topology::PowerOfTwoAbove(from) : 0};
    const double time_s = std::exp(cell.mean_log_time);
    place.time_s[cell.block_bytes] += cell.weight * time_s;
    place.spent_s += cell.weight * time_s;
    const std::string name = NameOf(cell);
    place.timings[name] += cell.weight;
    // An algorithm that neither the library nor the table chooses was an earlier trial, or an
    // earlier choice (CostOfTrials()).
    const library::DecisionRow& chosen = RowAt(*TableOf(cell.collective), cell.block_bytes);
    if (name == learn::kDefaultAlgorithm || name == FullName(chosen.library, chosen.algorithm)) {
      return;
    }
    if (watch_.IsGone()) return;
    const Answer answer =
        JobAdvice(machine_, question_, collective).At(cell.block_bytes, /*with_ranked=*/false);
    if (!(answer.chosen.predicted_time_s > 0)) return;
    const double excess_s = time_s - InJobs_s(cell.collective, answer.chosen);
    place.excess_s[name] += cell.weight * std::max(0.0, excess_s);
  }

  // By how much longer earlier trials took than the present choice.
  double CostOfTrials(double share) const {
    double cost_s = 0;
    for (const auto& [key, place] : places_) {
      const double most_calls =
          std::max(kMostUnsampled, kMostShares * share * SumOf(place.timings));
      for (const auto& [name, excess_s] : place.excess_s) {
        cost_s += excess_s * std::min(1.0, most_calls / place.timings.at(name));
      }
    }
    return cost_s;
  }

  // The time predicted for a call in a job: predictions are of benchmarks where both were timed.
  double InJobs_s(absl::string_view collective, const Candidate& candidate) const {
    const absl::string_view library =
        candidate.library.empty() ? absl::string_view(question_.job.library) : candidate.library;
    const learn::JobFactor* factor = machine_.corrections->InJobs(library, collective);
    return candidate.predicted_time_s * (factor == nullptr ? 1 : std::exp(factor->log_factor));
  }

  // Whether the algorithm was timed enough in the place.
  static bool IsTimed(const ExploredPlace& place, const std::string& algorithm) {
    const auto found = place.timings.find(algorithm);
    if (found == place.timings.end() || found->second < kEnoughTimings) return false;
    if (place.samples.empty() || place.samples.contains(algorithm)) return true;
    const double expected = found->second * SumOf(place.samples) / SumOf(place.timings);
    return expected >= kMissedSamples || found->second >= kMostUnsampled;
  }

  // The code that a trial would only time again.
  static std::set<std::string> CodeTimed(const ExploredPlace& place, const Answer& answer) {
    std::set<std::string> timed;
    for (const Candidate& other : answer.ranked) {
      if (IsTimed(place, FullName(other.library, other.algorithm)) && !other.code.empty()) {
        timed.insert(FullName(other.library, other.code));
      }
    }
    return timed;
  }

  // What is believed at the sizes of the job, for each collective.
  std::map<domain::Collective, JobBeliefs> BeliefsOfJob() {
    std::map<domain::Collective, std::map<int64_t, double>> spent_s;
    for (const auto& [key, place] : places_) {
      spent_s[place.collective].insert(place.time_s.begin(), place.time_s.end());
    }
    const library::TunedJob& job = question_.job;
    std::map<domain::Collective, JobBeliefs> beliefs;
    for (const auto& [collective, sizes] : spent_s) {
      if (watch_.IsGone()) break;
      JobAdvice advice(machine_, question_, collective);
      beliefs.emplace(collective, JobBeliefs(&advice, sizes, job.nodes, job.ppn, job.ranks()));
    }
    return beliefs;
  }

  // The algorithms that can be tried at all of the place's weighed sizes.
  void FindTrials(const ExploredPlace& place, JobBeliefs* beliefs,
                  std::vector<Trial>* found) const {
    std::map<std::string, Trial> trials;  // with sums over the sizes
    std::map<std::string, size_t> sizes;
    size_t weighed = 0;
    for (const JobBeliefs::Size& size : beliefs->sizes()) {
      if (!place.range.Holds(size.bytes)) continue;
      ++weighed;
      const Answer& answer = size.answer;
      if (!(answer.chosen.predicted_time_s > 0)) return;
      const std::set<std::string> timed = CodeTimed(place, answer);
      for (const Candidate& other : answer.ranked) {
        const std::string name = FullName(other.library, other.algorithm);
        const bool runs_as_default = name == answer.default_algorithm &&
                                     IsTimed(place, std::string(learn::kDefaultAlgorithm));
        if (name == size.chosen || other.is_withdrawn || IsTimed(place, name) || runs_as_default ||
            timed.contains(FullName(other.library, other.code))) {
          continue;
        }
        const double log_gain = std::log(answer.chosen.predicted_time_s / other.predicted_time_s);
        const double sigma = std::hypot(answer.chosen.own_sigma, other.own_sigma);
        const double times = std::exp(-log_gain + sigma * sigma / 2);
        if (!(times < kMostTimes)) continue;
        Trial& trial = trials[name];
        trial.place = &place;
        trial.beliefs = beliefs;
        trial.candidate = other;
        trial.name = name;
        trial.instead_of = size.chosen;
        trial.cost_s += size.spent_s * std::max(0.0, times - 1);
        ++sizes[name];
      }
    }
    for (auto& [name, trial] : trials) {
      if (sizes[name] < weighed) continue;
      trial.Reweigh();
      found->push_back(std::move(trial));
    }
  }

  // Into the table, between the rows before and after the trial's sizes.
  void Write(const Trial& trial) {
    library::DecisionTable& table = *TableOf(domain::CollectiveName(trial.place->collective));
    library::DecisionRow tried = RowFor(question_, trial.place->collective, trial.candidate);
    const int64_t from = trial.place->range.from_bytes;
    const int64_t to = trial.place->range.to_bytes;
    tried.block_bytes = from;
    // The worth is of ln(time).
    tried.trial = absl::StrFormat(
        "trial instead of %s: worth %.1f %% of the job's time in collectives, at a cost of %.1f %%",
        trial.instead_of, -100 * std::expm1(-trial.worth_s / total_s_),
        100 * trial.cost_s / total_s_);
    std::vector<library::DecisionRow> rows;
    for (const library::DecisionRow& row : table.rows) {
      if (row.block_bytes < from) rows.push_back(row);
    }
    rows.push_back(std::move(tried));
    if (to > 0) {
      library::DecisionRow next = RowAt(table, to);
      next.block_bytes = to;
      rows.push_back(std::move(next));
      for (const library::DecisionRow& row : table.rows) {
        if (row.block_bytes > to) rows.push_back(row);
      }
    }
    table.rows = std::move(rows);
  }

  const MachineView& machine_;
  const TuningQuestion& question_;
  absl::Span<library::DecisionTable> tables_;
  domain::CallerWatch& watch_;
  std::map<std::pair<domain::Collective, int64_t>, ExploredPlace> places_;
  double total_s_ = 0;  // of all places
};

}  // namespace

absl::Status AddTrials(const MachineView& machine, const TuningQuestion& question, double share,
                       absl::FunctionRef<bool(domain::Collective)> tells_sizes_apart,
                       absl::Span<library::DecisionTable> tables,
                       const domain::IsCancelled& is_cancelled) {
  if (!(share > 0)) return absl::OkStatus();
  domain::CallerWatch watch(is_cancelled, 1);
  Planner(machine, question, tells_sizes_apart, tables, &watch)
      .Run(std::min(share, kMaxExploreShare));
  return watch.status();
}

}  // namespace cox::advise
