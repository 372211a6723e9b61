#include "advise/recommend.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "learn/envelope.h"
#include "learn/structure.h"
#include "library/algorithms.h"
#include "library/aliases.h"
#include "library/libraries.h"
#include "model/errors.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kDefault = learn::kDefaultAlgorithm;

// A switch must be worth at least this (design.md, "do no harm") ...
constexpr double kGainFloor = 0.03;
// ... and clear this many standard deviations of the gain itself.
constexpr double kGainSigmas = 0.6;
// ... or this many, where the default is known as so much slower than the fastest algorithm: what
// is wrong with that one's time is wrong with the default's as well.
constexpr double kGainSigmasOnEnvelope = 0.4;
// Half the width of a 90 % interval of a normal distribution.
constexpr double kIntervalSigmas = 1.645;

// A candidate as it is weighed: nothing is formatted or copied before the choice is made.
struct Weighed {
  absl::string_view name;
  const library::Algorithm* row = nullptr;
  const library::Algorithm* effective = nullptr;  // what runs when `row` is asked for
  const strategy::Strategy* strategy = nullptr;
  bool runs_as_itself = true;  // false: the library runs what has another name for this call
  learn::Estimate estimate;
};

// The scenario of a question about a collective with strategies.
std::optional<strategy::Scenario> ScenarioOf(const Question& question) {
  const auto collective = strategy::ParseCollective(question.collective);
  if (!collective.ok()) return std::nullopt;
  strategy::Scenario scenario;
  scenario.collective = *collective;
  scenario.ranks = question.ranks;
  scenario.ppn = question.ppn;
  scenario.block_bytes = question.block_bytes;
  scenario.type_bytes = question.type_bytes;
  scenario.placement = question.placement;
  return scenario;
}

// Weighs the candidates of one question. Scratch that a thread keeps.
class Weighing {
 public:
  Weighing(const MachineView& machine, const Question& question, model::Schedule* schedule)
      : machine_(machine), question_(question), schedule_(*schedule) {
    scenario_ = ScenarioOf(question);
    assume_.elements_at_least_ranks = question.assume.elements_at_least_ranks;
    if (scenario_) {
      scenario_->shape = &machine.profile.shape;
      picked_ = learn::Resolve(question.library, kDefault, *scenario_, assume_);
    }
    const auto ranks = static_cast<double>(question.ranks);
    const auto ppn = static_cast<double>(question.ppn);
    point_ = {question.nodes > 0 ? static_cast<double>(question.nodes) : std::ceil(ranks / ppn),
              ppn, ranks, static_cast<double>(question.block_bytes)};
  }

  void Run(std::vector<Weighed>* weighed) {
    weighed->clear();
    if (!question_.candidates.empty()) {
      for (const std::string& name : question_.candidates) Add(name, weighed);
      return;
    }
    AddUnlisted(kDefault, weighed);
    if (scenario_) {
      for (const library::Algorithm& row : library::AlgorithmsOf(question_.library)) {
        if (row.collective != scenario_->collective) continue;
        // Who does not name it is not led to one that may give wrong results.
        if (question_.assume.commutative || row.safe_for_any_operation) {
          AddRow(row, row.native_name, weighed);
        }
      }
    }
    // What only observations know of.
    for (absl::string_view name :
         machine_.corrections->Algorithms(question_.library, question_.collective)) {
      if (name == learn::kSelectionFile) continue;
      const bool listed = std::any_of(weighed->begin(), weighed->end(),
                                      [&](const Weighed& other) { return other.name == name; });
      const bool in_table =
          scenario_ && library::FindAlgorithm(question_.library, scenario_->collective, name);
      if (!listed && !in_table) AddUnlisted(name, weighed);
    }
  }

  // How many standard deviations of the gain over the default a switch must clear.
  double GainSigmas() const {
    return CorrectionOf(kDefault)->is_on_envelope() ? kGainSigmasOnEnvelope : kGainSigmas;
  }
  // The row that the library runs by itself; null where that is not known, or is contradicted by
  // what its default takes.
  const library::Algorithm* StockRow() const {
    return CorrectionOf(kDefault)->is_on_envelope() ? nullptr : picked_.effective;
  }
  absl::string_view StockName() const {
    const library::Algorithm* stock = StockRow();
    return stock == nullptr ? "" : stock->native_name;
  }

 private:
  void Add(absl::string_view name, std::vector<Weighed>* weighed) {
    if (scenario_ && name != kDefault) {
      const library::Algorithm* row =
          library::FindByAnyName(question_.library, scenario_->collective, name);
      if (row != nullptr) return AddRow(*row, name, weighed);
    }
    AddUnlisted(name, weighed);
  }

  // Left out: what the library would refuse to run.
  void AddRow(const library::Algorithm& row, absl::string_view name,
              std::vector<Weighed>* weighed) {
    const learn::Structure structure = learn::ResolveRow(row, *scenario_, assume_);
    if (structure.effective == nullptr) return;
    Weighed entry;
    entry.name = name;
    entry.row = &row;
    entry.effective = structure.effective;
    entry.strategy = structure.strategy;
    entry.runs_as_itself = structure.effective == &row;
    for (const Weighed& other : *weighed) {
      // Two names for the same code at this size have one price.
      if (other.row != nullptr && other.strategy == structure.strategy &&
          other.row == structure.effective) {
        entry.estimate = other.estimate;
        weighed->push_back(entry);
        return;
      }
    }
    entry.estimate = Estimate(structure.effective->native_name, Price(structure.strategy));
    weighed->push_back(entry);
  }

  // The default, or what only observations know. The default has the price of what the library
  // picks by itself, but neither its number nor its strategy: to say "default" is to say neither.
  void AddUnlisted(absl::string_view name, std::vector<Weighed>* weighed) {
    Weighed entry;
    entry.name = name;
    entry.runs_as_itself = name != kDefault;
    entry.estimate = Estimate(name, name == kDefault ? PriceOfDefault() : 0);
    weighed->push_back(entry);
  }

  // Times of the default learn to correct the model's price of what is picked. Without any, what is
  // known about the picked algorithm is the better price; the uncertainty stays that of a price,
  // for a site's settings may make the default something else.
  double PriceOfDefault() const {
    if (CorrectionOf(kDefault)->is_on_envelope()) {
      learn::Pricing pricing;
      if (machine_.model != nullptr) pricing = {machine_.model, machine_.model_values};
      return learn::EnvelopeTime(*machine_.corrections, question_.library, question_.collective,
                                 scenario_ ? &*scenario_ : nullptr, point_, pricing, &schedule_);
    }
    const double price_s = Price(picked_.strategy);
    if (picked_.effective == nullptr || CorrectionOf(kDefault)->has_data()) return price_s;
    const learn::Estimate estimate = Estimate(picked_.effective->native_name, price_s);
    return estimate.known ? std::exp(estimate.log_time) : 0;
  }

  double Price(const strategy::Strategy* strategy) const {
    if (machine_.model == nullptr || strategy == nullptr) return 0;
    return learn::StructuralTime(strategy, *scenario_, *machine_.model, *machine_.model_values,
                                 &schedule_);
  }

  const learn::Correction* CorrectionOf(absl::string_view algorithm) const {
    return machine_.corrections->Find(question_.library, question_.collective, algorithm);
  }

  learn::Estimate Estimate(absl::string_view algorithm, double price_s) const {
    return CorrectionOf(algorithm)->Predict(price_s, point_.nodes, point_.ppn, point_.ranks,
                                            point_.block_bytes);
  }

  const MachineView& machine_;
  const Question& question_;
  model::Schedule& schedule_;
  std::optional<strategy::Scenario> scenario_;
  // The usual call: what an algorithm falls back to for an operation that does not commute is not
  // what it costs otherwise.
  library::Assumptions assume_ = library::kUsualCalls;
  learn::Structure picked_;  // by the library itself
  learn::Point point_;
};

Candidate Describe(const Weighed& weighed) {
  Candidate candidate;
  candidate.algorithm = std::string(weighed.name);
  if (weighed.row != nullptr) candidate.native_id = weighed.row->native_id;
  if (weighed.strategy != nullptr) candidate.strategy = strategy::FormatStrategy(*weighed.strategy);
  if (!weighed.estimate.known) return candidate;
  const double half_width = kIntervalSigmas * weighed.estimate.sigma;
  candidate.predicted_time_s = std::exp(weighed.estimate.log_time);
  candidate.low_s = std::exp(weighed.estimate.log_time - half_width);
  candidate.high_s = std::exp(weighed.estimate.log_time + half_width);
  candidate.support = weighed.estimate.support;
  return candidate;
}

// Of two names for the same code, the one that is its own is better.
bool IsBetter(const Weighed& a, const Weighed& b) {
  if (a.estimate.known != b.estimate.known) return a.estimate.known;
  if (a.estimate.log_time != b.estimate.log_time) {
    return a.estimate.log_time < b.estimate.log_time;
  }
  return a.runs_as_itself && !b.runs_as_itself;
}

struct Choice {
  const Weighed* weighed = nullptr;  // null: "default", without being a candidate
  std::string reason;
};

std::string Percent(double ratio) { return absl::StrFormat("%.0f %%", 100 * ratio); }

// `log_gain` > 0: how much faster than the default the best alternative should be.
std::string WhyKept(const Weighed& best, double log_gain, double needed) {
  if (log_gain <= 0) return "nothing is predicted to be faster than the default";
  return absl::StrCat(best.name, " is predicted to be ", Percent(-std::expm1(-log_gain)),
                      " faster, not clear of the ", Percent(-std::expm1(-needed)),
                      " that a switch must gain here");
}

Choice Choose(const std::vector<Weighed>& weighed, bool default_is_candidate, int64_t ranks,
              double gain_sigmas, const library::Algorithm* stock) {
  const absl::string_view nothing = ranks == 1 ? "a single rank moves nothing" : "no data";
  const Weighed* usual = nullptr;
  const Weighed* best = nullptr;  // the fastest alternative to the default
  // What the library runs by itself is no alternative: it takes what the default takes. Without
  // timings of its own it is not even known better.
  const auto is_stock = [&](const Weighed& entry) {
    return default_is_candidate && stock != nullptr && entry.effective == stock;
  };
  const auto counts = [&](const Weighed& entry) {
    return entry.estimate.known && !(is_stock(entry) && entry.estimate.support == 0);
  };
  for (const Weighed& entry : weighed) {
    if (entry.name == kDefault) {
      usual = &entry;
    } else if (counts(entry) && (best == nullptr || IsBetter(entry, *best))) {
      best = &entry;
    }
  }
  if (!default_is_candidate) {
    if (best == nullptr) return {nullptr, std::string(nothing)};
    return {best, "fastest of the candidates, the default is not among them"};
  }
  if (best == nullptr) {
    if (usual->estimate.known) return {usual, "no data about any alternative to the default"};
    return {usual, std::string(nothing)};
  }
  if (!usual->estimate.known) {
    return {usual, "no data about the default's own time, so no gain can be shown"};
  }
  if (is_stock(*best)) {
    return {usual, absl::StrCat("the library runs ", best->effective->native_name, " by itself")};
  }
  const double log_gain = usual->estimate.log_time - best->estimate.log_time;
  const double needed =
      -std::log1p(-kGainFloor) +
      gain_sigmas * std::hypot(usual->estimate.own_sigma, best->estimate.own_sigma);
  if (log_gain <= needed) return {usual, WhyKept(*best, log_gain, needed)};
  return {best, absl::StrCat("predicted to be ", Percent(-std::expm1(-log_gain)),
                             " faster than the default")};
}

// Whoever named a candidate is told what the library's table knows against it.
std::string Warning(const Question& question, const Weighed* chosen) {
  const bool warn = chosen != nullptr && chosen->row != nullptr && !question.assume.commutative &&
                    !chosen->row->safe_for_any_operation;
  return warn ? "; wrong for operations that do not commute" : "";
}

}  // namespace

absl::Status Validate(const Question& question) {
  if (question.library.empty()) return model::InvalidField("library", "must be given");
  if (question.collective.empty()) return model::InvalidField("collective", "must be given");
  strategy::Scenario scenario;
  scenario.ranks = question.ranks;
  scenario.ppn = question.ppn;
  scenario.block_bytes = question.block_bytes;
  scenario.type_bytes = question.type_bytes;
  if (absl::Status status = strategy::Validate(scenario); !status.ok()) return status;
  if (question.nodes < 0 || question.nodes > strategy::kMaxRanks) {
    return model::InvalidField(
        "nodes", absl::StrCat("must be 0 (as many as needed) to ", strategy::kMaxRanks, ", not ",
                              question.nodes));
  }
  // Both factors are below 2^31.
  if (question.nodes > 0 && question.ranks > question.nodes * question.ppn) {
    return model::InvalidField(
        "ranks", absl::StrCat(question.ranks, " ranks do not fit ", question.nodes, " nodes of ",
                              question.ppn, " ranks; at most ", question.nodes * question.ppn));
  }
  for (size_t i = 0; i < question.candidates.size(); ++i) {
    if (question.candidates[i].empty()) {
      return model::InvalidField(absl::StrCat("candidates[", i, "]"), "must not be empty");
    }
  }
  return absl::OkStatus();
}

absl::Status Validate(const MachineView& machine, const Question& question) {
  if (absl::Status status = Validate(question); !status.ok()) return status;
  if (library::FindLibrary(question.library) == nullptr &&
      machine.corrections->Algorithms(question.library, question.collective).empty()) {
    return model::InvalidField(
        "library", absl::StrCat("\"", question.library, "\" is not known, only ",
                                library::LibraryNames(), "; and machine ", machine.name,
                                " has no observations of ", question.collective, " under it"));
  }
  const auto known = strategy::ParseCollective(question.collective);
  if (known.ok() ||
      !machine.corrections->Algorithms(question.library, question.collective).empty()) {
    return absl::OkStatus();
  }
  return model::InvalidField(
      "collective",
      absl::StrCat("\"", question.collective, "\" has no strategies, and machine ", machine.name,
                   " has no observations of it under ", question.library));
}

Answer Recommend(const MachineView& machine, const Question& question, bool with_ranked) {
  thread_local model::Schedule schedule;
  thread_local std::vector<Weighed> weighed;
  Weighing weighing(machine, question, &schedule);
  weighing.Run(&weighed);

  const bool default_is_candidate =
      question.candidates.empty() ||
      std::find(question.candidates.begin(), question.candidates.end(), kDefault) !=
          question.candidates.end();
  const Choice choice = Choose(weighed, default_is_candidate, question.ranks, weighing.GainSigmas(),
                               weighing.StockRow());

  Answer answer;
  answer.stock_algorithm = weighing.StockName();
  answer.reason = absl::StrCat(choice.reason, Warning(question, choice.weighed));
  if (choice.weighed != nullptr) {
    answer.chosen = Describe(*choice.weighed);
  } else {
    answer.chosen.algorithm = std::string(kDefault);
  }
  if (machine.model != nullptr) answer.model = std::string(machine.model->id());
  for (const Weighed& entry : weighed) {
    if (entry.name == kDefault && entry.estimate.known) {
      answer.default_time_s = std::exp(entry.estimate.log_time);
    }
  }
  if (!default_is_candidate) {
    // Not to be chosen, yet worth knowing.
    Question usual = question;
    usual.candidates = {std::string(kDefault)};
    std::vector<Weighed> alone;
    Weighing(machine, usual, &schedule).Run(&alone);
    if (alone.front().estimate.known) {
      answer.default_time_s = std::exp(alone.front().estimate.log_time);
    }
  }
  if (with_ranked) {
    std::stable_sort(weighed.begin(), weighed.end(), IsBetter);
    for (const Weighed& entry : weighed) {
      if (entry.estimate.known) answer.ranked.push_back(Describe(entry));
    }
  }
  return answer;
}

}  // namespace cox::advise
