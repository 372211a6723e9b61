// Times that the times around them contradict beyond all reason. Pure, any thread.
#ifndef COX_LEARN_CORRECT_CONTRADICTION_H_
#define COX_LEARN_CORRECT_CONTRADICTION_H_

#include <vector>

#include "learn/cells.h"

namespace cox::learn {

// Takes away, of one algorithm's places, those that more observations around contradict than agree
// with them, their own among the latter. (Timings that a report claims to be count once.) Around:
// the same nodes and ranks, and at most eight times more or fewer bytes. The time of a larger block
// is between that of a smaller one and as many times that as it is larger; what is a further factor
// of 20 off is contradicted. O(places^2) at the worst.
void DropContradictedPlaces(std::vector<PlacedTime>* places);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_CONTRADICTION_H_
