// Keys to sort, and the check that they are sorted, for the sorting examples.
#ifndef COX_COLLECTIVES_EXAMPLES_KEYS_H_
#define COX_COLLECTIVES_EXAMPLES_KEYS_H_

#include <stdint.h>

#include "example.h"

// A digest of keys that does not depend on their order or their ranks.
struct Digest {
  uint64_t sum;
  uint64_t mixed;
  uint64_t count;
};

// Makes this rank's random keys of `bits` bits, the same each time, and their digest.
struct Digest FillKeys(const struct Example* example, uint64_t* keys, int64_t count, int bits);

// Sorts keys of `bits` bits locally, 8 bits at a time; `spare` has room for as many.
void SortKeys(uint64_t* keys, uint64_t* spare, int64_t count, int bits);

// Merges two sorted runs.
void MergeKeys(const uint64_t* a, int64_t a_count, const uint64_t* b, int64_t b_count,
               uint64_t* merged);

// Collective. True if this rank's keys are sorted, none is below the keys of the ranks before, and
// all ranks together hold the keys of `before`.
bool AreSorted(const struct Example* example, const uint64_t* keys, int64_t count,
               struct Digest before);

#endif  // COX_COLLECTIVES_EXAMPLES_KEYS_H_
