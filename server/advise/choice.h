// Chooses one of the weighed candidates and says why. Stateless, any thread.
#ifndef COX_ADVISE_CHOICE_H_
#define COX_ADVISE_CHOICE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "advise/weighing.h"
#include "library/algorithm.h"

namespace cox::advise {

struct Choice {
  const Weighed* weighed = nullptr;  // null: "default", which is not among the candidates
  std::string reason;                // one line
};

// Whether `a` is listed before `b`: known estimates first, then the shorter median time, then the
// name of the code that really runs. Choose() compares means instead.
bool IsBetter(const Weighed& a, const Weighed& b);

// What is known about the library's default, which every alternative is compared with.
struct DefaultFacts {
  bool is_candidate = false;
  bool was_timed = false;
  bool rests_on_assumptions = false;        // RestsOnAssumptions() in caveats.h
  absl::Span<const Guess> guesses;          // empty: its time is not known
  const library::Algorithm* row = nullptr;  // the row that it runs; null: not known
  double nearness = 0;                      // of its timings to the call: learn::Estimate::nearness
};

// The alternative with the least expected time, if its expected gain over the default exceeds 3 %
// plus several times its expected loss; else the default. `ranks` only words the reason.
Choice Choose(absl::Span<const Weighed> weighed, const DefaultFacts& facts, int64_t ranks);

// Whether the same rule allows a switch to code whose time is shorter by log_gain (natural
// logarithm), known with the standard deviation `sigma` >= 0. More is asked of a switch from a
// default that is confirmed: it was timed, and the library's table says what it runs.
bool IsWorthSwitching(double log_gain, double sigma, bool is_from_confirmed_default);

// E[max(0, g)] of a normally distributed g: sigma phi(mean / sigma) + mean Phi(mean / sigma).
// sigma >= 0.
double ExpectedGain(double mean, double sigma);

}  // namespace cox::advise

#endif  // COX_ADVISE_CHOICE_H_
