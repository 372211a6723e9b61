#include "advise/weighing.h"

#include <algorithm>
#include <cmath>

#include "advise/candidates.h"
#include "advise/gather_window.h"
#include "advise/placement/link_time.h"
#include "library/algorithms.h"
#include "library/aliases.h"
#include "library/coxcoll/gather_windows.h"
#include "library/run_time_number.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kDefault = learn::kDefaultAlgorithm;

// The prior, in votes, that a default of unknown decision runs none of the library's known
// algorithms, and takes the time that was learned from its own observations.
constexpr double kOwnVotes = 0.2;
// The probability that a library's own decision table is in force, before the default was timed. A
// site's settings or another version may change it.
constexpr double kOwnDecisionInForce = 0.67;
// Less likely guesses are left out.
constexpr double kLeastShare = 1e-3;
// In timed algorithms: how many must show that prices are too low before half of that is believed
// of the others.
constexpr double kBeliefInPrices = 0.5;
// Near nodes make no call faster than by this factor.
constexpr double kLeastShareOfTime = 0.1;

// The scenario of a question about a collective with strategies.
std::optional<strategy::Scenario> ScenarioOf(const Question& question) {
  std::optional<strategy::Scenario> scenario = learn::ScenarioOf(
      question.collective, question.ranks, question.ppn, question.block_bytes, question.type_bytes);
  if (scenario) scenario->placement = question.placement;
  return scenario;
}

// The row of a gather's window that this machine's buffer allows; null where libcoxcoll's table
// lists that window.
const library::Algorithm* ComputedWindow(const MachineView& machine, absl::string_view library,
                                         const strategy::Scenario& scenario) {
  if (library != library::kCoxcoll || scenario.collective != domain::Collective::kGather) {
    return nullptr;
  }
  return library::FindWideGatherWindow(GatherWindow(machine, scenario));
}

Guess GuessOf(double share, const learn::Estimate& estimate, absl::string_view code) {
  return {share, estimate.log_time,    estimate.sigma, estimate.own_sigma,
          code,  estimate.unseen_sigma};
}

// Mean and spread of the guesses; everything else is from `own`.
learn::Estimate Mixture(absl::Span<const Guess> guesses, learn::Estimate own) {
  double mean = 0;
  for (const Guess& guess : guesses) mean += guess.share * guess.log_time;
  double variance = 0;
  double own_variance = 0;
  double unseen_variance = 0;
  for (const Guess& guess : guesses) {
    const double between = (guess.log_time - mean) * (guess.log_time - mean);
    variance += guess.share * (between + guess.sigma * guess.sigma);
    own_variance += guess.share * (between + guess.own_sigma * guess.own_sigma);
    unseen_variance += guess.share * guess.unseen_sigma * guess.unseen_sigma;
  }
  own.log_time = mean;
  own.sigma = std::sqrt(variance);
  own.own_sigma = std::sqrt(own_variance);
  own.unseen_sigma = std::sqrt(unseen_variance);
  return own;
}

}  // namespace

learn::Point PointOf(const Question& question) {
  const auto ranks = static_cast<double>(question.ranks);
  const auto ppn = static_cast<double>(question.ppn);
  return {question.nodes > 0 ? static_cast<double>(question.nodes) : std::ceil(ranks / ppn), ppn,
          ranks, static_cast<double>(question.block_bytes)};
}

Weighing::Weighing(const MachineView& machine, const Question& question, WeighingScratch* scratch)
    : machine_(machine),
      question_(question),
      scratch_(*scratch),
      scenario_(ScenarioOf(question)),
      asked_(PointOf(question)) {
  assume_.elements_at_least_ranks = question.assume.elements_at_least_ranks;
  if (scenario_) {
    scenario_->shape = &machine.profile.shape;
    default_structure_ = learn::Resolve(question.library, kDefault, *scenario_, assume_);
  }
  place_ = learn::PlaceAt(*machine.corrections, question.library, question.collective,
                          scenario_ ? &*scenario_ : nullptr, &asked_);
  default_correction_ = place_.learned->Find(kDefault);
}

// A price with guessed links says nothing beside one with listed messages: it charges a ring for
// links that its messages never pass.
void Weighing::Run() {
  WeighAll();
  if (leaves_links_out_) WeighAll();
}

void Weighing::WeighAll() {
  scratch_.weighed.clear();
  scratch_.guesses.clear();
  scratch_.estimates.clear();
  if (question_.candidates.empty()) AddAll();
  for (const std::string& name : question_.candidates) Add(name);
  EstimateTheOthers();
  RaiseUntimed();
  AddLinks();
  GuessDefault();
  DoubtPromises();
  DoubtGrowth();
}

// An algorithm that may give wrong results is not offered unless the question names it.
bool Weighing::IsOffered(const library::Algorithm& row) const {
  return row.collective == scenario_->collective &&
         (question_.assume.commutative || row.safe_for_any_operation);
}

void Weighing::AddAll() {
  AddUnlisted(kDefault);
  if (scenario_) {
    for (const library::Algorithm& row : library::AlgorithmsOf(question_.library)) {
      if (IsOffered(row)) AddRow(row, row.native_name);
    }
    if (const library::Algorithm* row = ComputedWindow(machine_, question_.library, *scenario_)) {
      AddRow(*row, row->native_name);
    }
  }
  // Where there is a table, another name is misspelt or foreign: the library cannot be told to run
  // it.
  if (scenario_ && library::Lists(question_.library, scenario_->collective)) return;
  for (absl::string_view name : place_.learned->Algorithms()) {
    if (name != kDefault && name != learn::kSelectionFile) AddUnlisted(name);
  }
}

const library::Algorithm* Weighing::DefaultRow() const {
  return default_correction_->base() == learn::Base::kEnvelope ? nullptr
                                                               : default_structure_.effective;
}

bool Weighing::default_was_timed() const { return default_correction_->has_data(); }

void Weighing::Add(absl::string_view name) {
  if (scenario_ && name != kDefault) {
    const library::Algorithm* row =
        library::FindByAnyName(question_.library, scenario_->collective, name);
    if (row != nullptr) return AddRow(*row, name);
  }
  AddUnlisted(name);
}

// Leaves out what the library would refuse to run.
void Weighing::AddRow(const library::Algorithm& row, absl::string_view name) {
  const learn::Structure structure = learn::ResolveRow(row, *scenario_, assume_);
  if (structure.effective == nullptr) return;
  Weighed entry;
  entry.name = name;
  entry.row = &row;
  entry.effective = structure.effective;
  entry.strategy = structure.strategy;
  entry.runs_as_itself = structure.effective == &row;
  entry.estimate = EstimateOnce(entry.code(), structure.strategy);
  scratch_.weighed.push_back(entry);
}

// Two names for the same code at this size have one price.
learn::Estimate Weighing::EstimateOnce(absl::string_view code, const strategy::Strategy* strategy) {
  if (const learn::Estimate* known = FindEstimate(code)) return *known;
  const learn::Estimate estimate =
      learn::EstimateOf(code, strategy, place_, PricingHere(), &scratch_.schedule);
  scratch_.estimates.push_back({code, strategy, estimate});
  return estimate;
}

// The default, whose estimate comes last, or an algorithm that only observations know. "default"
// has neither a number nor a strategy.
void Weighing::AddUnlisted(absl::string_view name) {
  Weighed entry;
  entry.name = name;
  entry.runs_as_itself = name != kDefault;
  if (name != kDefault) entry.estimate = EstimateOf(name);
  scratch_.weighed.push_back(entry);
}

void Weighing::EstimateTheOthers() {
  if (question_.candidates.empty() || !scenario_) return;
  for (const library::Algorithm& row : library::AlgorithmsOf(question_.library)) {
    if (!IsOffered(row)) continue;
    const learn::Structure structure = learn::ResolveRow(row, *scenario_, assume_);
    if (structure.effective == nullptr) continue;
    EstimateOnce(structure.effective->native_name, structure.strategy);
  }
}

void Weighing::RaiseUntimed() {
  const auto is_untimed = [](const auto& one) {
    return one.strategy != nullptr && one.estimate.known && one.estimate.support <= 0;
  };
  if (std::none_of(scratch_.estimates.begin(), scratch_.estimates.end(), is_untimed)) return;
  double sum = 0;
  double count = 0;
  const auto add = [&](const learn::Estimate& estimate, const strategy::Strategy* strategy) {
    const double price_s = Price(strategy);
    if (!estimate.known || estimate.support <= 0 || !(price_s > 0)) return;
    sum += estimate.log_time - std::log(price_s);
    count += 1;
  };
  for (const CodeEstimate& one : scratch_.estimates) add(one.estimate, one.strategy);
  if (default_correction_->base() == learn::Base::kStructure && default_was_timed()) {
    add(DefaultCorrected(Price(default_structure_.strategy)), default_structure_.strategy);
  }
  const double raise = sum / (count + kBeliefInPrices);
  // To lower a price by what others show would make switches of it that nothing supports.
  if (raise <= 0) return;
  for (CodeEstimate& one : scratch_.estimates) {
    if (is_untimed(one)) one.estimate.log_time += raise;
  }
  for (Weighed& entry : scratch_.weighed) {
    if (is_untimed(entry)) entry.estimate.log_time += raise;
  }
}

void Weighing::AddLinks() {
  if (question_.nodes_in_use == nullptr) return;
  for (CodeEstimate& one : scratch_.estimates) one.estimate = WithLinks(one.estimate, one.strategy);
  for (Weighed& entry : scratch_.weighed) {
    if (entry.strategy != nullptr) entry.estimate = *FindEstimate(entry.code());
  }
}

void Weighing::GuessDefault() {
  const bool is_on_envelope = default_correction_->base() == learn::Base::kEnvelope;
  default_estimate_ = is_on_envelope ? DefaultOnEnvelope() : DefaultByOwnDecision();
  if (default_estimate_.known) {
    const learn::DefaultVotes* votes = place_.learned->VotesOnDefault();
    if (votes != nullptr) {
      GuessFromVotes(*votes, default_estimate_);
      default_estimate_ = Mixture(scratch_.guesses, default_estimate_);
    } else if (default_was_timed()) {
      scratch_.guesses.push_back(GuessOf(1, default_estimate_, ""));
    } else {
      GuessFromOwnDecision(default_estimate_);
    }
  }
  for (Weighed& entry : scratch_.weighed) {
    if (entry.name == kDefault) entry.estimate = default_estimate_;
  }
}

void Weighing::GuessFromVotes(const learn::DefaultVotes& votes, const learn::Estimate& own) {
  scratch_.votes.resize(votes.names().size());
  const double total = kOwnVotes + votes.VotesAt(asked_.at(), absl::MakeSpan(scratch_.votes));
  double rest = 1;
  for (size_t i = 0; i < scratch_.votes.size(); ++i) {
    const double share = scratch_.votes[i] / total;
    if (share < kLeastShare) continue;
    const absl::string_view name = votes.names()[i];
    const learn::Estimate estimate = EstimateOf(name);
    if (!estimate.known) continue;
    scratch_.guesses.push_back(GuessOf(share, estimate, name));
    rest -= share;
  }
  scratch_.guesses.push_back(GuessOf(std::max(rest, 0.0), own, ""));
}

// Nobody has timed the default. It runs what the library's table says, or another of its
// algorithms, the less likely the longer that takes.
void Weighing::GuessFromOwnDecision(const learn::Estimate& own) {
  scratch_.guesses.push_back(GuessOf(1, own, default_structure_.effective->native_name));
  double others = 0;
  for (const auto& [code, strategy, estimate] : scratch_.estimates) {
    if (!estimate.known || code == default_structure_.effective->native_name) continue;
    const double weight = std::exp(own.log_time - estimate.log_time);
    scratch_.guesses.push_back(GuessOf(weight, estimate, code));
    others += weight;
  }
  if (!(others > 0)) return;
  scratch_.guesses.front().share = kOwnDecisionInForce;
  for (size_t i = 1; i < scratch_.guesses.size(); ++i) {
    scratch_.guesses[i].share *= (1 - kOwnDecisionInForce) / others;
  }
}

learn::Estimate Weighing::DefaultOnEnvelope() {
  const double envelope_s = learn::EnvelopeTime(
      *place_.learned, [this](absl::string_view algorithm) { return EstimateOf(algorithm); });
  return DefaultCorrected(envelope_s);
}

// The default's times correct the model's price of the code that it runs. Without such times, that
// code's own estimate is the better price. The uncertainty stays that of a price, because a site's
// settings may change the default.
learn::Estimate Weighing::DefaultByOwnDecision() {
  if (default_correction_->base() == learn::Base::kCommonTime) {
    return EstimateOf(kDefault, nullptr);
  }
  if (default_structure_.effective == nullptr || default_was_timed()) {
    return WithLinks(DefaultCorrected(Price(default_structure_.strategy)),
                     default_structure_.strategy);
  }
  const learn::Estimate code =
      EstimateOf(default_structure_.effective->native_name, default_structure_.strategy);
  learn::Estimate estimate = DefaultCorrected(code.known ? std::exp(code.log_time) : 0);
  if (estimate.known) learn::Widen(code.unseen_sigma, &estimate);
  return estimate;
}

// What jobs did not find of the gains that benchmarks promise.
void Weighing::DoubtPromises() {
  const learn::MissedGains* missed = place_.learned->GainsMissed();
  if (missed == nullptr) return;
  for (Weighed& entry : scratch_.weighed) {
    if (entry.name != kDefault) entry.shortfall = missed->At(asked_.at(), entry.code());
  }
}

// What was slower than the default at fewer ranks is faster here by its predicted growth alone.
// If no structure of the collective is known, all borrow the same growth.
void Weighing::DoubtGrowth() {
  if (place_.learned->CommonTime() != nullptr) return;
  for (Weighed& entry : scratch_.weighed) {
    const int64_t ranks = place_.learned->BehindAt(entry.code(), question_.block_bytes);
    if (ranks < question_.ranks) entry.behind_at_ranks = ranks;
  }
}

double Weighing::Price(const strategy::Strategy* strategy) const {
  if (machine_.model == nullptr || strategy == nullptr) return 0;
  return learn::StructuralTime(strategy, *scenario_, *machine_.model, *machine_.model_values,
                               &scratch_.schedule);
}

learn::Estimate Weighing::WithLinks(learn::Estimate estimate, const strategy::Strategy* strategy) {
  if (question_.nodes_in_use == nullptr || leaves_links_out_ || machine_.model == nullptr ||
      strategy == nullptr || !scenario_ || !estimate.known) {
    return estimate;
  }
  const PricedBy priced_by{machine_.model, machine_.model_values};
  strategy::Build(*strategy, *scenario_, &scratch_.schedule);
  const Prediction on_nodes =
      PriceOnNodes(priced_by, *strategy, *scenario_, scratch_.schedule, *question_.nodes_in_use);
  if (on_nodes.guesses_links) {
    leaves_links_out_ = true;
    return estimate;
  }
  const double apart_s =
      on_nodes.cost.TotalSeconds() -
      machine_.model->Price(*machine_.model_values, scratch_.schedule).TotalSeconds();
  // Models that price links may find these nodes nearer to each other than the machine's are.
  const double time_s = std::exp(estimate.log_time);
  estimate.log_time = std::log(std::max(time_s + apart_s, kLeastShareOfTime * time_s));
  return estimate;
}

learn::Estimate Weighing::DefaultCorrected(double price_s) {
  return default_correction_->Predict(price_s, &asked_);
}

const learn::Estimate* Weighing::FindEstimate(absl::string_view code) const {
  for (const CodeEstimate& one : scratch_.estimates) {
    if (one.code == code) return &one.estimate;
  }
  return nullptr;
}

learn::Estimate Weighing::EstimateOf(absl::string_view algorithm) {
  if (const learn::Estimate* known = FindEstimate(algorithm)) return *known;
  learn::Estimate estimate =
      learn::EstimateOf(algorithm, place_, PricingHere(), &scratch_.schedule);
  if (question_.nodes_in_use != nullptr && scenario_) {
    estimate = WithLinks(
        estimate, learn::Resolve(question_.library, algorithm, *scenario_, assume_).strategy);
  }
  scratch_.estimates.push_back({algorithm, nullptr, estimate});
  return estimate;
}

learn::Estimate Weighing::EstimateOf(absl::string_view algorithm,
                                     const strategy::Strategy* strategy) {
  return WithLinks(
      learn::EstimateOf(algorithm, strategy, place_, PricingHere(), &scratch_.schedule), strategy);
}

learn::Pricing Weighing::PricingHere() const {
  if (machine_.model == nullptr) return {};
  return {machine_.model, machine_.model_values};
}

}  // namespace cox::advise
