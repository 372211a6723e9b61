// Drops what one untrusted reporter alone has timed where others contradict it. Pure, any thread.
#ifndef COX_LEARN_CORRECT_TRUST_LONE_TIMES_H_
#define COX_LEARN_CORRECT_TRUST_LONE_TIMES_H_

#include <vector>

#include "learn/prepared_cells.h"

namespace cox::learn {

// Of the places of one algorithm, drops those of a lone reporter that stick out from the sizes next
// to them. These are the next smaller and the next larger size of the same nodes, ppn, ranks and
// kind that several reporters have timed, or an operator, each within a factor of eight. The larger
// block's time should lie between the smaller one's and that multiplied by the ratio of the sizes.
// A time sticks out if it lies outside by a further factor of 1.5 on both sides, and in the same
// direction. Beyond the sizes of others nothing is dropped: a protocol may begin there. O(n log n).
void DropLoneTimesThatStickOut(std::vector<PlacedTime>* places);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_TRUST_LONE_TIMES_H_
