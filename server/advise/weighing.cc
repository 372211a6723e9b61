#include "advise/weighing.h"

#include <algorithm>
#include <cmath>

#include "library/algorithms.h"
#include "library/aliases.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kDefault = learn::kDefaultAlgorithm;

// What is believed of a default of unknown decision before any vote, in votes: that it is as it was
// learned by itself, and none of the library's algorithms.
constexpr double kOwnVotes = 0.2;
// A library's own decision table is in force, unless a site's settings or another version make it
// another one: how sure that is before the default was timed.
constexpr double kStockInForce = 0.67;
// A guess that is less likely makes no difference.
constexpr double kLeastShare = 1e-3;

// The scenario of a question about a collective with strategies.
std::optional<strategy::Scenario> ScenarioOf(const Question& question) {
  std::optional<strategy::Scenario> scenario = learn::ScenarioOf(
      question.collective, question.ranks, question.ppn, question.block_bytes, question.type_bytes);
  if (scenario) scenario->placement = question.placement;
  return scenario;
}

Guess GuessOf(double share, const learn::Estimate& estimate, absl::string_view code) {
  return {share, estimate.log_time, estimate.sigma, estimate.own_sigma, code};
}

// Mean and spread of what the default may be; `own` has everything else.
learn::Estimate Mixture(absl::Span<const Guess> guesses, learn::Estimate own) {
  double mean = 0;
  for (const Guess& guess : guesses) mean += guess.share * guess.log_time;
  double variance = 0;
  double own_variance = 0;
  for (const Guess& guess : guesses) {
    const double between = (guess.log_time - mean) * (guess.log_time - mean);
    variance += guess.share * (between + guess.sigma * guess.sigma);
    own_variance += guess.share * (between + guess.own_sigma * guess.own_sigma);
  }
  own.log_time = mean;
  own.sigma = std::sqrt(variance);
  own.own_sigma = std::sqrt(own_variance);
  return own;
}

}  // namespace

Weighing::Weighing(const MachineView& machine, const Question& question, WeighingScratch* scratch)
    : machine_(machine), question_(question), scratch_(*scratch), scenario_(ScenarioOf(question)) {
  assume_.elements_at_least_ranks = question.assume.elements_at_least_ranks;
  if (scenario_) {
    scenario_->shape = &machine.profile.shape;
    picked_ = learn::Resolve(question.library, kDefault, *scenario_, assume_);
  }
  const auto ranks = static_cast<double>(question.ranks);
  const auto ppn = static_cast<double>(question.ppn);
  point_ = {question.nodes > 0 ? static_cast<double>(question.nodes) : std::ceil(ranks / ppn), ppn,
            ranks, static_cast<double>(question.block_bytes)};
}

void Weighing::Run() {
  scratch_.weighed.clear();
  scratch_.guesses.clear();
  scratch_.estimates.clear();
  if (!question_.candidates.empty()) {
    for (const std::string& name : question_.candidates) Add(name);
    GuessDefault();
    return;
  }
  AddUnlisted(kDefault);
  if (scenario_) {
    for (const library::Algorithm& row : library::AlgorithmsOf(question_.library)) {
      if (row.collective != scenario_->collective) continue;
      // Who does not name it is not led to one that may give wrong results.
      if (question_.assume.commutative || row.safe_for_any_operation) AddRow(row, row.native_name);
    }
  }
  // What only observations know of.
  for (absl::string_view name :
       machine_.corrections->Algorithms(question_.library, question_.collective)) {
    if (name == learn::kSelectionFile) continue;
    const bool listed = std::any_of(scratch_.weighed.begin(), scratch_.weighed.end(),
                                    [&](const Weighed& other) { return other.name == name; });
    const bool in_table =
        scenario_ && library::FindAlgorithm(question_.library, scenario_->collective, name);
    if (!listed && !in_table) AddUnlisted(name);
  }
  GuessDefault();
}

const library::Algorithm* Weighing::StockRow() const {
  return CorrectionOf(kDefault)->is_on_envelope() ? nullptr : picked_.effective;
}

bool Weighing::default_was_timed() const { return CorrectionOf(kDefault)->has_data(); }

void Weighing::Add(absl::string_view name) {
  if (scenario_ && name != kDefault) {
    const library::Algorithm* row =
        library::FindByAnyName(question_.library, scenario_->collective, name);
    if (row != nullptr) return AddRow(*row, name);
  }
  AddUnlisted(name);
}

// Left out: what the library would refuse to run.
void Weighing::AddRow(const library::Algorithm& row, absl::string_view name) {
  const learn::Structure structure = learn::ResolveRow(row, *scenario_, assume_);
  if (structure.effective == nullptr) return;
  Weighed entry;
  entry.name = name;
  entry.row = &row;
  entry.effective = structure.effective;
  entry.strategy = structure.strategy;
  entry.runs_as_itself = structure.effective == &row;
  // Two names for the same code at this size have one price.
  for (const auto& [code, estimate] : scratch_.estimates) {
    if (code != entry.code()) continue;
    entry.estimate = estimate;
    scratch_.weighed.push_back(entry);
    return;
  }
  entry.estimate = Corrected(entry.code(), Price(structure.strategy));
  scratch_.estimates.emplace_back(entry.code(), entry.estimate);
  scratch_.weighed.push_back(entry);
}

// The default, whose estimate comes last, or what only observations know. To say "default" is to
// say neither a number nor a strategy.
void Weighing::AddUnlisted(absl::string_view name) {
  Weighed entry;
  entry.name = name;
  entry.runs_as_itself = name != kDefault;
  if (name != kDefault) entry.estimate = EstimateOf(name);
  scratch_.weighed.push_back(entry);
}

void Weighing::GuessDefault() {
  const bool is_on_envelope = CorrectionOf(kDefault)->is_on_envelope();
  usual_ = is_on_envelope ? DefaultOnEnvelope() : DefaultOnStock();
  if (usual_.known) {
    const learn::DefaultVotes* votes =
        machine_.corrections->VotesOnDefault(question_.library, question_.collective);
    if (votes != nullptr) {
      GuessFromVotes(*votes, usual_);
      usual_ = Mixture(scratch_.guesses, usual_);
    } else if (default_was_timed()) {
      scratch_.guesses.push_back(GuessOf(1, usual_, ""));
    } else {
      GuessFromStock(usual_);
    }
  }
  for (Weighed& entry : scratch_.weighed) {
    if (entry.name == kDefault) entry.estimate = usual_;
  }
}

void Weighing::GuessFromVotes(const learn::DefaultVotes& votes, const learn::Estimate& own) {
  scratch_.votes.resize(votes.names().size());
  const double total =
      kOwnVotes + votes.VotesAt(learn::CoordinatesOf(point_), absl::MakeSpan(scratch_.votes));
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

// Nobody has timed the default: it is what the library's table says, or another of its algorithms,
// the less likely the longer it takes.
void Weighing::GuessFromStock(const learn::Estimate& own) {
  scratch_.guesses.push_back(GuessOf(1, own, picked_.effective->native_name));
  double others = 0;
  for (const auto& [code, estimate] : scratch_.estimates) {
    if (!estimate.known || code == picked_.effective->native_name) continue;
    const double weight = std::exp(own.log_time - estimate.log_time);
    scratch_.guesses.push_back(GuessOf(weight, estimate, code));
    others += weight;
  }
  if (!(others > 0)) return;
  scratch_.guesses.front().share = kStockInForce;
  for (size_t i = 1; i < scratch_.guesses.size(); ++i) {
    scratch_.guesses[i].share *= (1 - kStockInForce) / others;
  }
}

learn::Estimate Weighing::DefaultOnEnvelope() {
  const double envelope_s =
      learn::EnvelopeTime(*machine_.corrections, question_.library, question_.collective,
                          [this](absl::string_view algorithm) { return EstimateOf(algorithm); });
  return Corrected(kDefault, envelope_s);
}

// Times of the default learn to correct the model's price of what is picked. Without any, what is
// known about the picked algorithm is the better price; the uncertainty stays that of a price, for
// a site's settings may make the default something else.
learn::Estimate Weighing::DefaultOnStock() {
  double price_s = Price(picked_.strategy);
  if (picked_.effective != nullptr && !default_was_timed()) {
    const learn::Estimate estimate = Corrected(picked_.effective->native_name, price_s);
    price_s = estimate.known ? std::exp(estimate.log_time) : 0;
  }
  return Corrected(kDefault, price_s);
}

double Weighing::Price(const strategy::Strategy* strategy) const {
  if (machine_.model == nullptr || strategy == nullptr) return 0;
  return learn::StructuralTime(strategy, *scenario_, *machine_.model, *machine_.model_values,
                               &scratch_.schedule);
}

const learn::Correction* Weighing::CorrectionOf(absl::string_view algorithm) const {
  return machine_.corrections->Find(question_.library, question_.collective, algorithm);
}

learn::Estimate Weighing::Corrected(absl::string_view algorithm, double price_s) const {
  return CorrectionOf(algorithm)->Predict(price_s, point_.nodes, point_.ppn, point_.ranks,
                                          point_.block_bytes);
}

learn::Estimate Weighing::EstimateOf(absl::string_view algorithm) {
  for (const auto& [name, estimate] : scratch_.estimates) {
    if (name == algorithm) return estimate;
  }
  learn::Pricing pricing;
  if (machine_.model != nullptr) pricing = {machine_.model, machine_.model_values};
  const learn::Place place{question_.library, question_.collective,
                           scenario_ ? &*scenario_ : nullptr, point_};
  const learn::Estimate estimate =
      learn::EstimateOf(algorithm, *machine_.corrections, place, pricing, &scratch_.schedule);
  scratch_.estimates.emplace_back(algorithm, estimate);
  return estimate;
}

}  // namespace cox::advise
