#include "advise/choice.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kDefault = learn::kDefaultAlgorithm;

// A switch must be worth at least this (design.md, "do no harm") ...
constexpr double kGainFloor = 0.03;
// ... beyond so many times what it may lose: a normally distributed gain must exceed 0.4 of its
// standard deviations ...
constexpr double kLossWeight = 2.7;
// ... or 0.6, where the library's own decision is known: it was made by people who measured.
constexpr double kLossWeightOnStock = 4.6;

std::string Percent(double log_ratio) {
  return absl::StrFormat("%.0f %%", -100 * std::expm1(-log_ratio));
}

// How a switch would change the logarithm of the time.
struct Stakes {
  double gain = 0;  // expected, where it is one
  double loss = 0;  // expected, where it is one
};

Stakes StakesOf(const Weighed& best, absl::Span<const Guess> guesses) {
  Stakes stakes;
  for (const Guess& guess : guesses) {
    if (guess.code == best.code()) continue;  // the same code takes the same time
    const double mean = guess.log_time - best.estimate.log_time;
    const double sigma = std::hypot(guess.own_sigma, best.estimate.own_sigma);
    stakes.gain += guess.share * ExpectedGain(mean, sigma);
    stakes.loss += guess.share * ExpectedGain(-mean, sigma);
  }
  return stakes;
}

bool Clears(const Stakes& stakes, double loss_weight) {
  return stakes.gain - loss_weight * stakes.loss > kGainFloor;
}

// How sure the surest of the guesses is.
double OwnSigma(absl::Span<const Guess> guesses) {
  double sigma = HUGE_VAL;
  for (const Guess& guess : guesses) sigma = std::min(sigma, guess.own_sigma);
  return sigma;
}

// Whether it is the better alternative: of less expected time, the mean, which is above the median
// the more the less is known. What is common to all algorithms does not tell them apart.
bool IsBetterAlternative(const Weighed& a, const Weighed& b) {
  const auto log_of_mean = [](const learn::Estimate& estimate) {
    return estimate.log_time + estimate.own_sigma * estimate.own_sigma / 2;
  };
  const double a_log = log_of_mean(a.estimate);
  const double b_log = log_of_mean(b.estimate);
  return a_log != b_log ? a_log < b_log : IsBetter(a, b);
}

std::string WhyKept(const Weighed& best, const Stakes& stakes, double loss_weight) {
  const double gain = stakes.gain - stakes.loss;
  if (gain <= 0) return "nothing is predicted to be faster than the default";
  const double needed = kGainFloor + (loss_weight - 1) * stakes.loss;
  return absl::StrCat(best.name, " is predicted to be ", Percent(gain),
                      " faster, not clear of the ", Percent(needed),
                      " that a switch must gain here");
}

}  // namespace

double ExpectedGain(double mean, double sigma) {
  if (sigma <= 0) return std::max(mean, 0.0);
  const double z = mean / sigma;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return sigma * density + mean * 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

bool IsWorthSwitching(double log_gain, double sigma) {
  return Clears({ExpectedGain(log_gain, sigma), ExpectedGain(-log_gain, sigma)}, kLossWeight);
}

bool IsBetter(const Weighed& a, const Weighed& b) {
  if (a.estimate.known != b.estimate.known) return a.estimate.known;
  if (a.estimate.log_time != b.estimate.log_time) {
    return a.estimate.log_time < b.estimate.log_time;
  }
  return a.runs_as_itself && !b.runs_as_itself;
}

Choice Choose(absl::Span<const Weighed> weighed, const Usual& usual, int64_t ranks) {
  const absl::string_view nothing = ranks == 1 ? "a single rank moves nothing" : "no data";
  // What the library runs by itself, as far as its timings agree, is no alternative to it.
  const bool has_stock = usual.is_candidate && usual.was_timed && usual.stock != nullptr;
  const auto is_stock = [&](const Weighed& entry) {
    return has_stock && entry.effective == usual.stock;
  };
  // Two estimates of one time: the default's own speaks, unless the algorithm's is the surer one.
  const auto counts = [&](const Weighed& entry) {
    if (!entry.estimate.known || !is_stock(entry)) return entry.estimate.known;
    return entry.estimate.support > 0 && entry.estimate.own_sigma <= OwnSigma(usual.guesses);
  };
  const Weighed* standing = nullptr;
  const Weighed* best =
      nullptr;  // the alternative to the default that is expected to be the fastest
  for (const Weighed& entry : weighed) {
    if (entry.name == kDefault) {
      standing = &entry;
    } else if (counts(entry) && (best == nullptr || IsBetterAlternative(entry, *best))) {
      best = &entry;
    }
  }
  if (!usual.is_candidate) {
    if (best == nullptr) return {nullptr, std::string(nothing)};
    return {best, "least expected time of the candidates, the default is not among them"};
  }
  if (best == nullptr) {
    if (!usual.guesses.empty()) return {standing, "no data about any alternative to the default"};
    return {standing, std::string(nothing)};
  }
  if (usual.guesses.empty()) {
    return {standing, "no data about the default's own time, so no gain can be shown"};
  }
  if (is_stock(*best)) {
    return {standing,
            absl::StrCat("the library runs ", best->effective->native_name, " by itself")};
  }
  const Stakes stakes = StakesOf(*best, usual.guesses);
  const double loss_weight = has_stock ? kLossWeightOnStock : kLossWeight;
  if (!Clears(stakes, loss_weight)) {
    return {standing, WhyKept(*best, stakes, loss_weight)};
  }
  if (usual.was_timed || usual.stock == nullptr) {
    return {best, absl::StrCat("predicted to be ", Percent(stakes.gain - stakes.loss),
                               " faster than the default")};
  }
  if (best->effective == usual.stock) {
    return {best,
            "least expected time of the alternatives, and not sure to be what the default runs"};
  }
  return {best, absl::StrCat("predicted to be ", Percent(stakes.gain - stakes.loss),
                             " faster than the default, which was not timed")};
}

}  // namespace cox::advise
