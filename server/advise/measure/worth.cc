#include "advise/measure/worth.h"

#include <algorithm>
#include <cmath>

#include "advise/choice.h"
#include "learn/correct/residual.h"

namespace cox::advise {

double PassedOn(const Belief& timed, const learn::Coordinates& from, const learn::Coordinates& to) {
  if (!(timed.variance > 0)) return 0;
  const double correlation = learn::ResidualSurface::Correlation(from, to, learn::kReaches.front());
  return timed.variance / (timed.variance + learn::kTimingVariance) * correlation * correlation;
}

void Learn(const Belief& timed, const learn::Coordinates& from, const learn::Coordinates& to,
           Belief* belief) {
  belief->variance *= 1 - PassedOn(timed, from, to);
}

double ExpectedReduction(const Belief& chosen, const Belief& other, TimingOf timing, double share) {
  const double resolved = share * (timing == TimingOf::kChosen ? chosen : other).variance;
  if (!(resolved > 0)) return 0;
  const double ahead = chosen.log_time - other.log_time;  // > 0: the other one seems faster
  return ExpectedGain(-std::abs(ahead), std::sqrt(resolved)) +
         resolved / (chosen.variance + other.variance) * std::max(0.0, ahead);
}

}  // namespace cox::advise
