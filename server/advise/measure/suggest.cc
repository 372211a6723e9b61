#include "advise/measure/suggest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "advise/choice.h"
#include "advise/measure/worth.h"
#include "advise/of_jobs_alone.h"
#include "advise/recommend.h"
#include "domain/cell_key.h"
#include "learn/correct/surface/sample_places.h"
#include "learn/structure.h"

namespace cox::advise {
namespace {

// The variance of an algorithm's ln(time) where nothing is known of it.
constexpr double kUnknownVariance = 1;
// ln(time) where nothing is known of a whole collective: 10 us. It only decides the cost.
constexpr double kUnknownLogTime = -11.5;
// A measurement costs its part of a job, in seconds, and this many calls.
constexpr double kJobPart_s = 1;
constexpr double kCalls = 10;
// Extrapolations are surer of themselves than they should be: at least this variance is added
// before an algorithm is given up, and it is given up this many standard deviations behind.
constexpr double kDoubtVariance = 0.3 * 0.3;
constexpr double kGivenUpSigmas = 2;
// Places of a collective whose decisions are looked at; of more, evenly many.
constexpr size_t kMaxPlaces = 400;
// Steps take tens of microseconds.
constexpr int kStepsPerQuestion = 64;
// The most algorithms of one collective, as in a recommendation.
constexpr size_t kMaxNames = 256;

// A call, with what is believed of each algorithm of its collective.
struct Place {
  learn::Coordinates at{};
  std::vector<Belief> beliefs;  // in the order of the collective's names
  std::vector<bool> known;      // of each belief: whether anything is known of it
  size_t chosen = 0;            // the decision of today
  size_t runner_up = 0;         // the best of the others; `chosen` where there is none
  bool is_begun = false;        // some algorithm was measured in this very call
  bool is_of_jobs = false;      // jobs timed all that was measured there, and all options
  std::vector<size_t> options;
};

using Call = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>;
Call CallOf(const Measurement& one) {
  return {one.nodes, one.ppn, one.ranks, one.block_bytes, one.type_bytes};
}

// What is measured together: a call's candidates that may be the best there. Only times of one call
// compare algorithms without a growth law in between, so a call that was begun is finished first.
struct Group {
  size_t place = 0;
  int rank = 0;      // 2: begun; 1: not begun; 0: timed already, or unlikely to be the best
  double worth = 0;  // gain per second
  friend bool operator<(const Group& a, const Group& b) {
    return std::pair(a.rank, a.worth) < std::pair(b.rank, b.worth);
  }
};

// Of equally urgent groups of a collective, the first place counts more.
bool IsLessUrgent(const Group& a, const Group& b) {
  return a < b || (!(b < a) && a.place > b.place);
}

// A candidate within its collective.
struct Option {
  size_t index = 0;  // among all candidates
  size_t place = 0;
  size_t name = 0;
  bool timed = false;  // measured already, in this very call; see ForgetDefaultsOfJobs()
  double cost_s = 0;
  double gain = 0;        // sum over the collective's places
  bool is_stale = false;  // something was measured since: the gain may be smaller now
  bool taken = false;
};

// The beliefs about one collective, and the worth of its candidates.
class Collective {
 public:
  Collective(const MachineView& machine, absl::string_view library,
             absl::Span<const Measurement> candidates, const std::vector<size_t>& members,
             domain::CallerWatch* watch)
      : watch_(watch) {
    FindNames(machine, library, candidates, members);
    const Timed timed = FindTimed(machine, library, candidates[members.front()]);
    std::map<Call, size_t> numbers;
    for (const size_t index : members) {
      if (watch_->IsGone()) return;
      const Call call = CallOf(candidates[index]);
      const auto [found, is_new] = numbers.emplace(call, places_.size());
      if (is_new) {
        AddPlace(machine, library, candidates[index]);
        const auto begun = timed.find(call);
        places_.back().is_begun = begun != timed.end();
        places_.back().is_of_jobs = places_.back().is_begun && AreAllOfJobs(begun->second);
      }
      const size_t name = NumberOf(candidates[index].algorithm);
      if (name == names_.size() || names_[name] != candidates[index].algorithm) continue;
      Place& place = places_[found->second];
      place.options.push_back(options_.size());
      const bool is_timed = place.is_begun && timed.at(call).contains(names_[name]);
      place.is_of_jobs = place.is_of_jobs && is_timed;
      options_.push_back({.index = index, .place = found->second, .name = name, .timed = is_timed});
    }
    if (IsOfJobsAlone(machine.corrections->Of(library, candidates[members.front()].collective),
                      learn::kDefaultAlgorithm)) {
      ForgetDefaultsOfJobs();
    }
    for (Option& option : options_) {
      if (watch_->IsGone()) return;
      option.cost_s = kJobPart_s + kCalls * std::exp(BeliefOf(option).log_time);
      option.gain = GainOf(option);
    }
    ListGroups();
  }

  size_t place_count() const { return places_.size(); }

  // The sum over the places.
  double ExpectedLoss() const {
    double sum = 0;
    for (const Place& place : places_) {
      const Belief& chosen = place.beliefs[place.chosen];
      double loss = 0;
      for (size_t i = 0; i < place.beliefs.size(); ++i) {
        if (i == place.chosen) continue;
        const Belief& other = place.beliefs[i];
        loss = std::max(loss, ExpectedGain(chosen.log_time - other.log_time,
                                           std::sqrt(chosen.variance + other.variance)));
      }
      sum += loss;
    }
    return sum;
  }

  // What to measure next; nothing where no candidate is left. Measurements only reduce gains, so
  // only a group that is the first with old gains needs new ones (M. Minoux, "Accelerated greedy
  // algorithms for maximizing submodular set functions", Optimization Techniques, 1978).
  std::optional<Group> Best() {
    while (!groups_.empty() && Reweigh(groups_.front())) {
      std::pop_heap(groups_.begin(), groups_.end(), IsLessUrgent);
      groups_.back() = *GroupAt(groups_.back().place);
      std::push_heap(groups_.begin(), groups_.end(), IsLessUrgent);
    }
    if (groups_.empty()) return std::nullopt;
    return groups_.front();
  }

  // The group's candidates, those with the most gain first.
  std::vector<Option*> Members(const Group& group) {
    std::vector<Option*> members;
    for (const size_t i : places_[group.place].options) {
      if (IsIn(group.rank, options_[i])) members.push_back(&options_[i]);
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const Option* a, const Option* b) { return a->gain > b->gain; });
    return members;
  }

  Suggestion Describe(const Option& option) const {
    const bool known = places_[option.place].known[option.name];
    return {.index = option.index,
            .predicted_time_s = known ? std::exp(BeliefOf(option).log_time) : 0,
            .cost_s = option.cost_s,
            .gain = option.gain};
  }

  // Believes that the measurement was taken and said what is expected of it.
  void Take(Option& taken) {
    taken.taken = true;
    const learn::Coordinates at = places_[taken.place].at;
    const Belief timed = BeliefOf(taken);
    for (Place& place : places_) Learn(timed, at, place.at, &place.beliefs[taken.name]);
    stale_.insert(taken.name);
  }

  // After the last Take() of a group.
  void EndGroup() {
    for (Option& option : options_) {
      option.is_stale = option.is_stale || stale_.contains(option.name);
    }
    stale_.clear();
    ListGroups();
  }

 private:
  // The algorithms that were timed in a call, and whether jobs timed them.
  using TimedInCall = std::map<absl::string_view, bool>;
  static bool AreAllOfJobs(const TimedInCall& timed) {
    return std::all_of(timed.begin(), timed.end(), [](const auto& one) { return one.second; });
  }

  // For each call of the collective.
  using Timed = std::map<Call, TimedInCall>;
  static Timed FindTimed(const MachineView& machine, absl::string_view library,
                         const Measurement& any) {
    Timed timed;
    for (const learn::Cell& cell : machine.cells) {
      if (cell.library != library || cell.collective != any.collective) continue;
      bool& by_jobs = timed[{cell.nodes, cell.ppn, cell.ranks, cell.block_bytes, cell.type_bytes}]
                           [cell.algorithm];
      by_jobs = by_jobs || cell.kind == domain::CellKind::kJob;
    }
    return timed;
  }

  // Only jobs timed the default, and ranks of jobs wait for each other within a call. Beside an
  // algorithm that a benchmark timed or will time, such a time shows no gain: the default must be
  // timed anew. Where jobs timed all algorithms, their times compare with each other.
  void ForgetDefaultsOfJobs() {
    for (Option& option : options_) {
      if (names_[option.name] != learn::kDefaultAlgorithm) continue;
      option.timed = option.timed && places_[option.place].is_of_jobs;
    }
  }

  void ListGroups() {
    groups_.clear();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (const std::optional<Group> group = GroupAt(i)) groups_.push_back(*group);
    }
    std::make_heap(groups_.begin(), groups_.end(), IsLessUrgent);
  }

  // Whether any of its candidates had an old gain.
  bool Reweigh(const Group& group) {
    bool any = false;
    for (const size_t i : places_[group.place].options) {
      Option& option = options_[i];
      if (!option.is_stale || !IsIn(group.rank, option)) continue;
      if (watch_->IsGone()) return false;
      option.gain = GainOf(option);
      option.is_stale = false;
      any = true;
    }
    return any;
  }

  // The most urgent group of a place.
  std::optional<Group> GroupAt(size_t place) const {
    Group group{.place = place};
    double gain = 0;
    double cost_s = 0;
    bool is_empty = true;
    for (const size_t i : places_[place].options) {
      const Option& option = options_[i];
      if (option.taken) continue;
      const int rank = RankOf(option);
      if (is_empty || rank > group.rank) {
        group.rank = rank;
        gain = cost_s = 0;
        is_empty = false;
      }
      if (rank < group.rank) continue;
      gain += option.gain;
      cost_s += option.cost_s;
    }
    if (is_empty) return std::nullopt;
    group.worth = gain / cost_s;
    return group;
  }

  bool IsIn(int rank, const Option& option) const {
    return !option.taken && RankOf(option) == rank;
  }

  int RankOf(const Option& option) const {
    if (option.timed || !MayBeBest(option)) return 0;
    return places_[option.place].is_begun ? 2 : 1;
  }

  // Whether the candidate may be the best of its call. Without the default's time no switch from it
  // can be advised, so it counts as well.
  bool MayBeBest(const Option& option) const {
    const Place& place = places_[option.place];
    if (option.name == place.chosen || names_[option.name] == learn::kDefaultAlgorithm) return true;
    const Belief& chosen = place.beliefs[place.chosen];
    const Belief& own = place.beliefs[option.name];
    const double sigma = std::sqrt(chosen.variance + own.variance + kDoubtVariance);
    return chosen.log_time - own.log_time + kGivenUpSigmas * sigma > 0;
  }

  // The default, the candidates, and what was observed: one of them will be decided for.
  void FindNames(const MachineView& machine, absl::string_view library,
                 absl::Span<const Measurement> candidates, const std::vector<size_t>& members) {
    std::set<std::string> names = {std::string(learn::kDefaultAlgorithm)};
    for (const size_t index : members) {
      if (names.size() < kMaxNames) names.insert(candidates[index].algorithm);
    }
    const std::string& collective = candidates[members.front()].collective;
    for (absl::string_view name : machine.corrections->Algorithms(library, collective)) {
      if (names.size() < kMaxNames && name != learn::kSelectionFile) names.emplace(name);
    }
    names_.assign(names.begin(), names.end());
  }

  void AddPlace(const MachineView& machine, absl::string_view library, const Measurement& call) {
    Question question;
    question.library = std::string(library);
    question.collective = call.collective;
    question.nodes = call.nodes;
    question.ppn = call.ppn;
    question.ranks = call.ranks;
    question.block_bytes = call.block_bytes;
    question.type_bytes = call.type_bytes;
    question.assume.commutative = true;
    question.candidates = names_;
    const Answer answer = Recommend(machine, question, /*with_ranked=*/true);
    Place place;
    place.at = learn::CoordinatesOf({static_cast<double>(call.nodes), static_cast<double>(call.ppn),
                                     static_cast<double>(call.ranks),
                                     static_cast<double>(call.block_bytes)});
    double mean = kUnknownLogTime;
    if (!answer.ranked.empty()) {
      mean = 0;
      for (const Candidate& one : answer.ranked) mean += std::log(one.predicted_time_s);
      mean /= static_cast<double>(answer.ranked.size());
    }
    place.beliefs.assign(names_.size(), {mean, kUnknownVariance});
    place.known.assign(names_.size(), false);
    for (const Candidate& one : answer.ranked) {
      const size_t name = NumberOf(one.algorithm);
      place.beliefs[name] = {std::log(one.predicted_time_s), one.own_sigma * one.own_sigma};
      place.known[name] = true;
    }
    place.chosen = NumberOf(answer.chosen.algorithm);
    place.runner_up = RunnerUp(place);
    places_.push_back(std::move(place));
  }

  size_t NumberOf(absl::string_view name) const {
    return static_cast<size_t>(std::lower_bound(names_.begin(), names_.end(), name) -
                               names_.begin());
  }

  static size_t RunnerUp(const Place& place) {
    size_t best = place.chosen;
    for (size_t i = 0; i < place.beliefs.size(); ++i) {
      if (i == place.chosen) continue;
      if (best == place.chosen || place.beliefs[i].log_time < place.beliefs[best].log_time) {
        best = i;
      }
    }
    return best;
  }

  const Belief& BeliefOf(const Option& option) const {
    return places_[option.place].beliefs[option.name];
  }

  double GainOf(const Option& option) const {
    const learn::Coordinates& at = places_[option.place].at;
    const size_t step = 1 + (places_.size() - 1) / kMaxPlaces;
    double sum = 0;
    for (size_t i = 0; i < places_.size(); i += step) {
      const Place& place = places_[i];
      const size_t rival = option.name == place.chosen ? place.runner_up : place.chosen;
      if (rival == option.name) continue;  // nothing to choose
      const double share = PassedOn(BeliefOf(option), at, place.at);
      const bool is_chosen = option.name == place.chosen;
      sum += ExpectedReduction(place.beliefs[place.chosen],
                               place.beliefs[is_chosen ? rival : option.name],
                               is_chosen ? TimingOf::kChosen : TimingOf::kOther, share);
    }
    return sum * static_cast<double>(step);
  }

  domain::CallerWatch* watch_;
  std::vector<std::string> names_;  // in order
  std::vector<Place> places_;
  std::vector<Option> options_;
  std::vector<Group> groups_;  // a heap, by the gains so far
  std::set<size_t> stale_;     // names that were measured since the last EndGroup()
};

}  // namespace

absl::StatusOr<Suggestions> SuggestMeasurements(const MachineView& machine,
                                                absl::string_view library,
                                                absl::Span<const Measurement> candidates,
                                                size_t count,
                                                const domain::IsCancelled& is_cancelled) {
  domain::CallerWatch watch(is_cancelled, kStepsPerQuestion);
  std::map<absl::string_view, std::vector<size_t>> members;
  for (size_t i = 0; i < candidates.size(); ++i) members[candidates[i].collective].push_back(i);
  std::vector<Collective> collectives;
  collectives.reserve(members.size());
  Suggestions suggestions;
  double places = 0;
  for (const auto& [name, indices] : members) {
    collectives.emplace_back(machine, library, candidates, indices, &watch);
    if (!watch.status().ok()) return watch.status();
    places += static_cast<double>(collectives.back().place_count());
    suggestions.expected_loss += collectives.back().ExpectedLoss();
  }
  // Sums of differences of logarithms, as a share of the time.
  const auto share = [places](double sum) { return -std::expm1(-sum / places); };
  if (places > 0) suggestions.expected_loss = share(suggestions.expected_loss);
  while (suggestions.best.size() < count) {
    Collective* winner = nullptr;
    std::optional<Group> best;
    for (Collective& collective : collectives) {
      const std::optional<Group> group = collective.Best();
      if (!group || (best && !(*best < *group))) continue;
      winner = &collective;
      best = group;
    }
    if (winner == nullptr) break;
    for (Option* option : winner->Members(*best)) {
      if (suggestions.best.size() == count) break;
      suggestions.best.push_back(winner->Describe(*option));
      suggestions.best.back().gain = share(suggestions.best.back().gain);
      winner->Take(*option);
    }
    winner->EndGroup();
    if (!watch.status().ok()) return watch.status();
  }
  return suggestions;
}

}  // namespace cox::advise
