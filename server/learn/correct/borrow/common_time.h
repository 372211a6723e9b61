// What the algorithms of a collective have in common: the time that any of them takes at a place.
// Algorithms without a known structure are compared with it, so that a few timings of each add up
// to one growth law of the collective. Stateless, any thread.
#ifndef COX_LEARN_CORRECT_BORROW_COMMON_TIME_H_
#define COX_LEARN_CORRECT_BORROW_COMMON_TIME_H_

#include <vector>

#include "absl/types/span.h"
#include "learn/prepared_cells.h"

namespace cox::learn {

// Splits ln(time) of each algorithm at each place into the place's common time, the algorithm's own
// factor, and a rest, by least squares with a prior on the factors. Returns a place for each call
// that any of the algorithms was timed at, with the variance that the rests leave: the fewer
// algorithms were timed there, the larger. O(n log n) for n timings.
std::vector<PlacedTime> CommonTimes(absl::Span<const absl::Span<const PlacedTime>> algorithms);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_BORROW_COMMON_TIME_H_
