// Drops times that the times around them contradict beyond all reason. Pure, any thread.
#ifndef COX_LEARN_CORRECT_TRUST_CONTRADICTED_PLACES_H_
#define COX_LEARN_CORRECT_TRUST_CONTRADICTED_PLACES_H_

#include <cstdint>
#include <vector>

#include "learn/prepared_cells.h"

namespace cox::learn {

// Drops the places of one algorithm that most observations around them contradict; a place's own
// observations agree with it. A report counts once, for any number of timings that it claims. Two
// places are around each other if nodes, ppn, ranks and kind are the same and their sizes differ by
// at most a factor of eight. The larger block's time should lie between the smaller one's and that
// multiplied by the ratio of the sizes; a time outside by a further factor of 20 contradicts.
//
// O(n log n) for n places. Returns how many elements it visited: at most 16 n log2(2 n).
int64_t DropContradictedPlaces(std::vector<PlacedTime>* places);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_TRUST_CONTRADICTED_PLACES_H_
