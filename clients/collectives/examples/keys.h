// Keys to be sorted, and the check that they are: what the sorting examples share.
#ifndef COX_COLLECTIVES_EXAMPLES_KEYS_H_
#define COX_COLLECTIVES_EXAMPLES_KEYS_H_

#include <stdint.h>

#include "example.h"

// Whatever order keys are in, and whoever holds them, these stay.
struct Digest {
  uint64_t sum;
  uint64_t mixed;
  uint64_t count;
};

// This rank's own random keys of `bits` bits, the same each time, and their digest.
struct Digest FillKeys(const struct Example* example, uint64_t* keys, int64_t count, int bits);

// Sorts keys of `bits` bits locally, 8 bits at a time; `spare` has room for as many.
void SortKeys(uint64_t* keys, uint64_t* spare, int64_t count, int bits);

// Merges two sorted runs.
void MergeKeys(const uint64_t* a, int64_t a_count, const uint64_t* b, int64_t b_count,
               uint64_t* merged);

// Collective: whether this rank's keys are sorted, none is below those of the ranks before, and all
// ranks together hold what they had when they had `before`.
bool AreSorted(const struct Example* example, const uint64_t* keys, int64_t count,
               struct Digest before);

#endif  // COX_COLLECTIVES_EXAMPLES_KEYS_H_
