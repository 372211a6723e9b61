// What a timing is worth to decisions, by the knowledge gradient (P. Frazier, W. Powell, S.
// Dayanik, "The knowledge-gradient policy for correlated normal beliefs", INFORMS Journal on
// Computing 21(4), 2009, for one pair of algorithms at a time). Suggestions of measurements and
// trials in jobs go by it. Stateless, any thread.
#ifndef COX_ADVISE_MEASURE_WORTH_H_
#define COX_ADVISE_MEASURE_WORTH_H_

#include "learn/correct/surface/sample_places.h"

namespace cox::advise {

// What is believed of an algorithm's ln(time) in a call: normally distributed, without the error
// that all algorithms share.
struct Belief {
  double log_time = 0;
  double variance = 0;  // >= 0
};

// The share of the variance of a belief at `to` that a timing of the algorithm at `from` removes,
// in [0, 1]. `timed`: the belief at `from`. It falls with the distance as a residual's squared
// correlation under the shortest of the reaches (sample_places.h): levels of times reach far, but
// which of two algorithms is the faster changes at thresholds.
double PassedOn(const Belief& timed, const learn::Coordinates& from, const learn::Coordinates& to);

// Changes the belief at `to` as if the algorithm had been timed at `from` and had taken the
// expected time.
void Learn(const Belief& timed, const learn::Coordinates& from, const learn::Coordinates& to,
           Belief* belief);

// Which of two algorithms a timing is about.
enum class TimingOf { kChosen, kOther };

// By how much the expected loss of a decision falls if this share of the variance of one belief is
// removed, as a share of the time. The loss of a decision is the time by which its algorithm is
// slower than the best one. The decision is for `chosen`; a change would be to `other`. A change
// that is expected to gain, but was too uncertain to be made, gains as far as the timing resolves
// the uncertainty.
double ExpectedReduction(const Belief& chosen, const Belief& other, TimingOf timing, double share);

}  // namespace cox::advise

#endif  // COX_ADVISE_MEASURE_WORTH_H_
