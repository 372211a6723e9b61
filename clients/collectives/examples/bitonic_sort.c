// Batcher's bitonic sort of n keys, n / p on each of p = 2^d ranks: a local sort, then d (d + 1) /
// 2 exchanges of all keys with a partner; one keeps the lower half, the other the upper half (B. H.
// H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models, 1998,
// section 4.2). The variant `words` sends every key as a message.
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "keys.h"
#include "superstep.h"

enum { kKeyBits = 32 };

// The `count` lowest or highest of two sorted runs of `count` keys.
static void KeepHalf(const uint64_t* mine, const uint64_t* theirs, int64_t count, bool low,
                     uint64_t* kept) {
  if (low) {
    for (int64_t i = 0, j = 0, k = 0; k < count; ++k) {
      kept[k] = mine[i] <= theirs[j] ? mine[i++] : theirs[j++];
    }
    return;
  }
  for (int64_t i = count - 1, j = count - 1, k = count - 1; k >= 0; --k) {
    kept[k] = mine[i] > theirs[j] ? mine[i--] : theirs[j--];
  }
}

static bool Run(struct Example* example) {
  static const struct Order kWords = {sizeof(uint64_t), true, false};
  const struct Order* order = strcmp(example->variant, "words") == 0 ? &kWords : NULL;
  const int64_t count = example->size / example->ranks;
  uint64_t* mine = Allocate(count, sizeof *mine);
  uint64_t* theirs = Allocate(count, sizeof *theirs);
  uint64_t* kept = Allocate(count, sizeof *kept);
  const struct Digest before = FillKeys(example, mine, count, kKeyBits);
  Enter(example, kWork);
  SortKeys(mine, theirs, count, kKeyBits);
  // After stage k groups of 2^k ranks are sorted, every other group downwards.
  for (int group = 2; group <= example->ranks; group *= 2) {
    for (int distance = group / 2; distance > 0; distance /= 2) {
      const int partner = example->rank ^ distance;
      const bool upwards = (example->rank & group) == 0;
      const bool first = (example->rank & distance) == 0;
      Enter(example, kCommunication);
      SwapWith(partner, mine, count * (int64_t)sizeof *mine, theirs,
               count * (int64_t)sizeof *theirs, order, MPI_COMM_WORLD);
      Enter(example, kWork);
      KeepHalf(mine, theirs, count, first == upwards, kept);
      uint64_t* free_now = mine;
      mine = kept;
      kept = free_now;
    }
  }
  Enter(example, kOutside);
  const bool right = AreSorted(example, mine, count, before);
  free(mine);
  free(theirs);
  free(kept);
  return right;
}

static const char* Refuse(const struct Example* example) {
  if (WholeLog2(example->ranks) < 0) return "needs a power of two of ranks";
  if (example->size % example->ranks != 0) return "needs as many keys on each rank";
  return example->size / example->ranks > 1 << 27 ? "--size: too many keys for a rank" : NULL;
}

const struct Program kProgram = {.name = "bitonic-sort",
                                 .summary =
                                     "sorts by exchanging all keys with one partner after "
                                     "the other",
                                 .size_text = "keys in all",
                                 .usual_size = 65536,
                                 .variants = "blocks,words",
                                 .refuse = Refuse,
                                 .run = Run};
