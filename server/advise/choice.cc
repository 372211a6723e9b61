#include "advise/choice.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "learn/correct/interval.h"

namespace cox::advise {
namespace {

// A switch must gain at least this, in the logarithm of the time (docs/learning.md, "when to
// switch") ...
constexpr double kGainFloor = 0.03;
// ... beyond this many times its expected loss: a normally distributed gain must exceed 0.4 of its
// standard deviations ...
constexpr double kLossWeight = 2.7;
// ... or 0.6 where the library's own decision is known: its authors measured.
constexpr double kLossWeightOnKnownDefault = 4.6;
// ... or 0.8 where the alternative was slower than the default at the most ranks that were timed,
// so that only its predicted growth promises a gain.
constexpr double kLossWeightOnGrowth = 7.7;

double LossWeight(bool is_default_confirmed) {
  return is_default_confirmed ? kLossWeightOnKnownDefault : kLossWeight;
}

// Of the default's timings to a call (learn::Estimate::nearness). Nearer ones show what the default
// runs there: up to six times the bytes on the same nodes. Twice the nodes and ranks are farther.
constexpr double kNear = 0.3;

// The share of the time that a gain in its logarithm saves.
std::string Percent(double log_ratio) {
  return absl::StrCat(std::lrint(-100 * std::expm1(-log_ratio)), " %");
}

// How a switch changes the logarithm of the time: E[max(0, gain)] and E[max(0, -gain)]. The
// deviation `unseen_sigma` of the gain comes from models that disagree.
struct Stakes {
  double gain = 0;
  double loss = 0;
  double unseen_sigma = 0;

  double net() const { return gain - loss; }
};

// `shortfall`: of `best`.
Stakes StakesOf(const Weighed& best, absl::Span<const Guess> guesses,
                const learn::Shortfall& shortfall) {
  Stakes stakes;
  double unseen_variance = 0;
  const double own_variance =
      best.estimate.own_sigma * best.estimate.own_sigma + shortfall.variance;
  for (const Guess& guess : guesses) {
    if (guess.code == best.code()) continue;  // the same code takes the same time
    const double mean = guess.log_time - best.estimate.log_time - shortfall.log_gain;
    const double sigma = std::sqrt(guess.own_sigma * guess.own_sigma + own_variance);
    const double lesser = ExpectedGain(-std::abs(mean), sigma);
    // E[max(0, g)] = E[g] + E[max(0, -g)].
    stakes.gain += guess.share * (lesser + std::max(mean, 0.0));
    stakes.loss += guess.share * (lesser + std::max(-mean, 0.0));
    unseen_variance += guess.share * (guess.unseen_sigma * guess.unseen_sigma +
                                      best.estimate.unseen_sigma * best.estimate.unseen_sigma);
  }
  stakes.unseen_sigma = std::sqrt(unseen_variance);
  return stakes;
}

bool Clears(const Stakes& stakes, double loss_weight) {
  return stakes.gain - loss_weight * stakes.loss > kGainFloor;
}

double LeastOwnSigma(absl::Span<const Guess> guesses) {
  double sigma = HUGE_VAL;
  for (const Guess& guess : guesses) sigma = std::min(sigma, guess.own_sigma);
  return sigma;
}

// Compares expected times. The mean lies above the median the more, the less is known. An error
// that all algorithms share does not tell them apart, so only own_sigma counts.
bool IsBetterAlternative(const Weighed& a, const Weighed& b) {
  const auto log_of_mean = [](const Weighed& one) {
    const double own_variance = one.estimate.own_sigma * one.estimate.own_sigma;
    return one.estimate.log_time + one.shortfall.log_gain +
           (own_variance + one.shortfall.variance) / 2;
  };
  const double a_log = log_of_mean(a);
  const double b_log = log_of_mean(b);
  return a_log != b_log ? a_log < b_log : IsBetter(a, b);
}

// Whether the library's table says what the default runs, and the default's timings do not
// contradict it.
bool IsConfirmed(const DefaultFacts& facts) {
  return facts.is_candidate && facts.was_timed && facts.row != nullptr;
}

// What the rules decide by.
struct Situation {
  const DefaultFacts& facts;
  int64_t ranks;
  const Weighed* default_entry = nullptr;  // null: the default is not a candidate
  const Weighed* best = nullptr;           // the best alternative; null: no estimate of any
  bool any_is_withdrawn = false;           // of the alternatives with an estimate
  bool best_is_the_default = false;        // for certain
  Stakes stakes;                           // of a switch to `best`
  Stakes promised;                         // the same, if jobs find all that benchmarks promise
  double loss_weight = kLossWeight;
};

// The code that the default runs competes with it by its own estimate only if that is the surer of
// the two estimates of one time.
bool IsAlternative(const Weighed& entry, const DefaultFacts& facts) {
  if (entry.name == learn::kDefaultAlgorithm || !entry.estimate.known) return false;
  if (entry.withdrawal != nullptr) return false;
  if (!IsConfirmed(facts) || entry.effective != facts.row) return true;
  return entry.estimate.support > 0 && entry.estimate.own_sigma <= LeastOwnSigma(facts.guesses);
}

Situation SituationOf(absl::Span<const Weighed> weighed, const DefaultFacts& facts, int64_t ranks) {
  Situation now{.facts = facts, .ranks = ranks, .stakes = {}, .promised = {}};
  for (const Weighed& entry : weighed) {
    if (entry.name == learn::kDefaultAlgorithm) now.default_entry = &entry;
    now.any_is_withdrawn |= entry.withdrawal != nullptr && entry.estimate.known;
    if (!IsAlternative(entry, facts)) continue;
    if (now.best == nullptr || IsBetterAlternative(entry, *now.best)) now.best = &entry;
  }
  if (now.best == nullptr) return now;
  now.best_is_the_default = IsConfirmed(facts) && now.best->effective == facts.row;
  now.stakes = StakesOf(*now.best, facts.guesses, now.best->shortfall);
  now.promised =
      now.best->shortfall.log_gain > 0 ? StakesOf(*now.best, facts.guesses, {}) : now.stakes;
  now.loss_weight =
      now.best->behind_at_ranks > 0 ? kLossWeightOnGrowth : LossWeight(IsConfirmed(facts));
  return now;
}

// What nobody timed and models disagree about is not switched: some model predicts no gain.
bool RestsOnOneModel(const Situation& now) {
  const bool names_what_runs = now.facts.row != nullptr && now.best->effective == now.facts.row;
  return !names_what_runs && now.stakes.net() <= learn::kIntervalSigmas * now.stakes.unseen_sigma;
}

std::string NoData(const Situation& now) {
  return now.ranks == 1 ? "a single rank moves nothing" : "no data";
}

std::string WhyKept(const Situation& now) {
  const double gain = now.stakes.net();
  if (gain <= 0) return "keeps the default: no candidate is predicted to be faster";
  const double needed = kGainFloor + (now.loss_weight - 1) * now.stakes.loss;
  return absl::StrCat("no clear gain: ", now.best->name, " is expected to save ", Percent(gain),
                      " of the default's time (a switch needs more than ", Percent(needed),
                      now.best->behind_at_ranks > 0
                          ? absl::StrCat(", because with ", now.best->behind_at_ranks,
                                         " ranks it was slower than the default)")
                          : ")");
}

std::string WhyDoubted(const Situation& now) {
  return absl::StrCat("keeps the default: jobs gained less here than benchmarks promise (",
                      Percent(now.promised.net()), " by ", now.best->name, ")");
}

// Not the ratio of the two predicted times: the default may run one of several algorithms, and jobs
// may gain less than benchmarks promise.
std::string ExpectedSaving(const Situation& now) {
  return absl::StrCat("expected to save ", Percent(now.stakes.net()), " of the default's time");
}

enum class Take { kDefault, kBest };

// The first rule that applies decides.
struct Rule {
  bool (*applies)(const Situation& now);
  Take take;
  std::string (*reason)(const Situation& now);
};

constexpr Rule kRules[] = {
    {[](const Situation& now) { return now.best == nullptr && now.any_is_withdrawn; },
     Take::kDefault,
     [](const Situation&) -> std::string {
       return "keeps the default: canaries showed every known alternative to be slower";
     }},
    {[](const Situation& now) {
       return now.best == nullptr && (now.facts.guesses.empty() || !now.facts.is_candidate);
     },
     Take::kDefault, NoData},
    {[](const Situation& now) { return now.best == nullptr; }, Take::kDefault,
     [](const Situation&) -> std::string {
       return "no data about any alternative to the default";
     }},
    {[](const Situation& now) { return !now.facts.is_candidate; }, Take::kBest,
     [](const Situation&) -> std::string {
       return "least expected time; the default is not a candidate";
     }},
    {[](const Situation& now) { return now.facts.rests_on_assumptions; }, Take::kDefault,
     [](const Situation&) -> std::string {
       return "keeps the default: nobody measured a level that this job uses";
     }},
    {[](const Situation& now) { return now.facts.guesses.empty(); }, Take::kDefault,
     [](const Situation&) -> std::string {
       return "no data about the default's own time, so no gain can be shown";
     }},
    // If the table holds, to name what the default should run costs nothing.
    {[](const Situation& now) {
       return now.best_is_the_default && now.facts.nearness < kNear &&
              now.stakes.net() > kGainFloor;
     },
     Take::kBest,
     [](const Situation&) -> std::string {
       return "least expected time; what the default should run, which was not timed near here";
     }},
    {[](const Situation& now) { return now.best_is_the_default; }, Take::kDefault,
     [](const Situation& now) {
       return absl::StrCat("the default already runs ", now.best->effective->native_name);
     }},
    {[](const Situation& now) { return !now.best->is_comparable; }, Take::kDefault,
     [](const Situation& now) {
       return absl::StrCat("keeps the default: only jobs timed it and only benchmarks timed ",
                           now.best->name, ", so no gain can be shown; `cox calibrate` times both");
     }},
    {[](const Situation& now) {
       return !Clears(now.stakes, now.loss_weight) && Clears(now.promised, now.loss_weight);
     },
     Take::kDefault, WhyDoubted},
    {[](const Situation& now) { return !Clears(now.stakes, now.loss_weight); }, Take::kDefault,
     WhyKept},
    {RestsOnOneModel, Take::kDefault,
     [](const Situation& now) {
       return absl::StrCat("keeps the default: nobody timed messages like those of ",
                           now.best->name, " or the default, and models disagree about them");
     }},
    {[](const Situation& now) { return now.facts.was_timed || now.facts.row == nullptr; },
     Take::kBest, ExpectedSaving},
    {[](const Situation& now) { return now.best->effective == now.facts.row; }, Take::kBest,
     [](const Situation&) -> std::string {
       return "least expected time; what the default should run, which was not timed";
     }},
    {[](const Situation&) { return true; }, Take::kBest,
     [](const Situation& now) {
       return absl::StrCat(ExpectedSaving(now), ", which was not timed");
     }},
};

}  // namespace

double ExpectedGain(double mean, double sigma) {
  if (sigma <= 0) return std::max(mean, 0.0);
  const double z = mean / sigma;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return sigma * density + mean * 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

bool IsWorthSwitching(double log_gain, double sigma, bool is_from_confirmed_default) {
  return Clears({ExpectedGain(log_gain, sigma), ExpectedGain(-log_gain, sigma)},
                LossWeight(is_from_confirmed_default));
}

bool IsBetter(const Weighed& a, const Weighed& b) {
  if (a.estimate.known != b.estimate.known) return a.estimate.known;
  if (a.estimate.log_time != b.estimate.log_time) {
    return a.estimate.log_time < b.estimate.log_time;
  }
  return a.runs_as_itself && !b.runs_as_itself;
}

Choice Choose(absl::Span<const Weighed> weighed, const DefaultFacts& facts, int64_t ranks) {
  const Situation now = SituationOf(weighed, facts, ranks);
  const Rule* rule = std::find_if(std::begin(kRules), std::end(kRules) - 1,
                                  [&](const Rule& one) { return one.applies(now); });
  return {rule->take == Take::kBest ? now.best : now.default_entry, rule->reason(now)};
}

}  // namespace cox::advise
