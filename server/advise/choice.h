// The choice among weighed candidates, and its reason. Stateless, any thread.
#ifndef COX_ADVISE_CHOICE_H_
#define COX_ADVISE_CHOICE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "advise/weighing.h"
#include "library/algorithm.h"

namespace cox::advise {

struct Choice {
  const Weighed* weighed = nullptr;  // null: "default", without being a candidate
  std::string reason;
};

// Whether `a` is listed before `b`: known, faster in the median; of two names for the same code,
// the one that is its own. The choice goes by the mean instead.
bool IsBetter(const Weighed& a, const Weighed& b);

// What the default is compared with.
struct Usual {
  bool is_candidate = false;
  bool was_timed = false;
  absl::Span<const Guess> guesses;            // empty: nothing is known of its time
  const library::Algorithm* stock = nullptr;  // what the library runs by itself; null: not known
};

// The alternative to the default of the least expected time, if the gain that may be expected
// clears a floor of 3 % and several times the loss that may be, else the default. `ranks` only for
// the reason.
Choice Choose(absl::Span<const Weighed> weighed, const Usual& usual, int64_t ranks);

// The same for a switch to what is faster by log_gain in the logarithm of the time, with this
// standard deviation >= 0.
bool IsWorthSwitching(double log_gain, double sigma);

// E[max(0, g)] of a normally distributed g: sigma phi(mean / sigma) + mean Phi(mean / sigma).
// sigma >= 0.
double ExpectedGain(double mean, double sigma);

}  // namespace cox::advise

#endif  // COX_ADVISE_CHOICE_H_
