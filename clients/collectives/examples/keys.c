#include "keys.h"

#include <stdlib.h>
#include <string.h>

static struct Digest DigestOf(const uint64_t* keys, int64_t count) {
  struct Digest digest = {0, 0, (uint64_t)count};
  for (int64_t i = 0; i < count; ++i) {
    digest.sum += keys[i];
    digest.mixed ^= Random(keys[i]);
  }
  return digest;
}

struct Digest FillKeys(const struct Example* example, uint64_t* keys, int64_t count, int bits) {
  for (int64_t i = 0; i < count; ++i) {
    keys[i] = Random(((uint64_t)example->rank << 40) + (uint64_t)i) >> (64 - bits);
  }
  return DigestOf(keys, count);
}

void SortKeys(uint64_t* keys, uint64_t* spare, int64_t count, int bits) {
  for (int shift = 0; shift < bits; shift += 8) {
    int64_t places[257] = {0};
    for (int64_t i = 0; i < count; ++i) ++places[(keys[i] >> shift & 255) + 1];
    for (int digit = 0; digit < 256; ++digit) places[digit + 1] += places[digit];
    for (int64_t i = 0; i < count; ++i) spare[places[keys[i] >> shift & 255]++] = keys[i];
    memcpy(keys, spare, (size_t)count * sizeof *keys);
  }
}

void MergeKeys(const uint64_t* a, int64_t a_count, const uint64_t* b, int64_t b_count,
               uint64_t* merged) {
  int64_t i = 0;
  int64_t j = 0;
  while (i < a_count && j < b_count) *merged++ = a[i] <= b[j] ? a[i++] : b[j++];
  memcpy(merged, a + i, (size_t)(a_count - i) * sizeof *a);
  memcpy(merged + (a_count - i), b + j, (size_t)(b_count - j) * sizeof *b);
}

bool AreSorted(const struct Example* example, const uint64_t* keys, int64_t count,
               struct Digest before) {
  bool sorted = true;
  for (int64_t i = 1; i < count; ++i) sorted &= keys[i - 1] <= keys[i];
  // A rank without keys passes on the largest key of the ranks before it.
  const uint64_t own_largest = count > 0 ? keys[count - 1] : 0;
  uint64_t largest_before = 0;
  MPI_Exscan(&own_largest, &largest_before, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (example->rank > 0 && count > 0) sorted &= largest_before <= keys[0];
  const struct Digest after = DigestOf(keys, count);
  const uint64_t own[4] = {before.sum, after.sum, before.count, after.count};
  uint64_t sums[4];
  MPI_Allreduce(own, sums, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  uint64_t mixed = before.mixed ^ after.mixed;
  MPI_Allreduce(MPI_IN_PLACE, &mixed, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
  return sorted && mixed == 0 && sums[0] == sums[1] && sums[2] == sums[3];
}
