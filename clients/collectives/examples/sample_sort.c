// Sample sort of n keys: 32 samples of each rank give p - 1 splitters. Every rank then sends its
// keys to p buckets: directly (ssdr), or half of them in each of log2 p exchanges of a butterfly
// (ssbr, p a power of two). (B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of
// parallel computation models, 1998, section 4.3.) The variants `words` and `32-bytes` send keys to
// their buckets in messages of a key or of 32 bytes, `ssdr-steps` has a barrier after each of
// ssdr's messages (sections 6 and 7.2.2).
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "keys.h"
#include "superstep.h"

enum { kKeyBits = 32, kSamples = 32 };

struct Keys {
  uint64_t* keys;  // sorted
  int64_t count;
};

// The p - 1 keys at which buckets begin, the same on all ranks.
static uint64_t* FindSplitters(struct Example* example, const struct Keys* mine) {
  const int p = example->ranks;
  uint64_t* all = Allocate((int64_t)p * kSamples, sizeof *all);
  uint64_t* samples = all + (int64_t)example->rank * kSamples;
  uint64_t* spare = Allocate((int64_t)p * kSamples, sizeof *spare);
  uint64_t* splitters = Allocate(p, sizeof *splitters);
  for (int i = 0; i < kSamples; ++i) {
    samples[i] = mine->keys[Random((uint64_t)i) % (uint64_t)mine->count];
  }
  Enter(example, kCommunication);
  GatherUpTree(all, kSamples * (int64_t)sizeof *all, MPI_COMM_WORLD);
  Enter(example, kWork);
  if (example->rank == 0) {
    SortKeys(all, spare, (int64_t)p * kSamples, kKeyBits);
    for (int i = 1; i < p; ++i) splitters[i - 1] = all[(int64_t)i * kSamples];
  }
  Enter(example, kCommunication);
  SendDownTree(splitters, (p - 1) * (int64_t)sizeof *splitters, 0, MPI_COMM_WORLD);
  Enter(example, kWork);
  free(all);
  free(spare);
  return splitters;
}

// How many of the sorted keys are below `bound`.
static int64_t CountBelow(const struct Keys* sorted, uint64_t bound) {
  int64_t low = 0;
  int64_t high = sorted->count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (sorted->keys[middle] < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Sends keys directly to their buckets; each bucket is sorted when it is complete.
static void SendStraight(struct Example* example, const uint64_t* splitters, struct Keys* mine) {
  const int p = example->ranks;
  struct Blocks out = NewBlocks(p);
  struct Blocks in = NewBlocks(p);
  int64_t begin = 0;
  for (int bucket = 0; bucket < p; ++bucket) {
    const int64_t end = bucket + 1 < p ? CountBelow(mine, splitters[bucket]) : mine->count;
    out.bytes[bucket] = (int)((end - begin) * (int64_t)sizeof(uint64_t));
    begin = end;
  }
  PlaceBlocks(&out);
  memcpy(out.data, mine->keys, (size_t)mine->count * sizeof(uint64_t));
  Enter(example, kCommunication);
  if (strncmp(example->variant, "ssdr", 4) == 0) {
    SendStaggered(&out, &in, strcmp(example->variant, "ssdr-steps") == 0, MPI_COMM_WORLD);
  } else {
    const bool is_words = strcmp(example->variant, "words") == 0;
    const struct Order order = {is_words ? sizeof(uint64_t) : 32, true, false};
    SendCut(&out, &in, &order, MPI_COMM_WORLD);
  }
  Enter(example, kOutside);
  free(mine->keys);
  mine->count = (in.offsets[p - 1] + in.bytes[p - 1]) / (int64_t)sizeof(uint64_t);
  mine->keys = Allocate(mine->count, sizeof(uint64_t));
  uint64_t* spare = Allocate(mine->count, sizeof(uint64_t));
  Enter(example, kWork);
  memcpy(mine->keys, in.data, (size_t)mine->count * sizeof(uint64_t));
  SortKeys(mine->keys, spare, mine->count, kKeyBits);
  free(spare);
  FreeBlocks(&out);
  FreeBlocks(&in);
}

// Through a butterfly: each exchange sends the keys for the other half of the buckets, and merges
// those that arrive with those that stay.
static void SendThroughButterfly(struct Example* example, const uint64_t* splitters,
                                 struct Keys* mine) {
  for (int distance = example->ranks / 2; distance > 0; distance /= 2) {
    const int partner = example->rank ^ distance;
    const bool low = (example->rank & distance) == 0;
    // The lower half's last bucket, of the group of ranks that differ in this bit and below.
    const int middle = (example->rank & ~(2 * distance - 1)) + distance;
    const int64_t below = CountBelow(mine, splitters[middle - 1]);
    const int64_t kept = low ? below : mine->count - below;
    const uint64_t* keep = low ? mine->keys : mine->keys + below;
    const uint64_t* send = low ? mine->keys + below : mine->keys;
    const int64_t sent = mine->count - kept;
    int64_t received = 0;
    Enter(example, kCommunication);
    MPI_Sendrecv(&sent, 1, MPI_INT64_T, partner, 0, &received, 1, MPI_INT64_T, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Enter(example, kOutside);
    uint64_t* came = Allocate(received, sizeof *came);
    uint64_t* merged = Allocate(kept + received, sizeof *merged);
    Enter(example, kCommunication);
    MPI_Sendrecv(send, (int)sent, MPI_UINT64_T, partner, 1, came, (int)received, MPI_UINT64_T,
                 partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Enter(example, kWork);
    MergeKeys(keep, kept, came, received, merged);
    free(came);
    free(mine->keys);
    *mine = (struct Keys){merged, kept + received};
  }
}

static bool Run(struct Example* example) {
  struct Keys mine = {NULL, example->size / example->ranks};
  mine.keys = Allocate(mine.count, sizeof(uint64_t));
  uint64_t* spare = Allocate(mine.count, sizeof(uint64_t));
  const struct Digest before = FillKeys(example, mine.keys, mine.count, kKeyBits);
  Enter(example, kWork);
  SortKeys(mine.keys, spare, mine.count, kKeyBits);
  uint64_t* splitters = FindSplitters(example, &mine);
  if (strcmp(example->variant, "ssbr") == 0) {
    SendThroughButterfly(example, splitters, &mine);
  } else {
    SendStraight(example, splitters, &mine);
  }
  Enter(example, kOutside);
  const bool right = AreSorted(example, mine.keys, mine.count, before);
  free(spare);
  free(splitters);
  free(mine.keys);
  return right;
}

static const char* Refuse(const struct Example* example) {
  if (strcmp(example->variant, "ssbr") == 0 && WholeLog2(example->ranks) < 0) {
    return "ssbr needs a power of two of ranks";
  }
  if (example->size % example->ranks != 0) return "needs as many keys on each rank";
  return example->size / example->ranks > 1 << 24 ? "--size: too many keys for a rank" : NULL;
}

const struct Program kProgram = {.name = "sample-sort",
                                 .summary = "sorts by splitters from samples",
                                 .size_text = "keys in all",
                                 .usual_size = 65536,
                                 .variants = "ssdr,ssbr,ssdr-steps,words,32-bytes",
                                 .refuse = Refuse,
                                 .run = Run};
