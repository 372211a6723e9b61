// Radix sort of 64-bit integers, 16 bits at a time: each of four rounds counts keys in 65536
// buckets, deals the buckets to the ranks so that all get about as many keys, and sends each key to
// the rank of its bucket (L. V. Kale, S. Kumar, A framework for collective personalized
// communication, 2003, section 4.2).
#include <stdlib.h>

#include "example.h"
#include "keys.h"

enum { kDigitBits = 16, kBuckets = 1 << kDigitBits };

static int Bucket(uint64_t key, int shift) { return (int)(key >> shift & (kBuckets - 1)); }

// The rank of each bucket; the number of keys before it decides.
static void DealBuckets(const struct Example* example, const int64_t* counts, int* owners) {
  int64_t all = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) all += counts[bucket];
  int64_t before = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    owners[bucket] = (int)(before * example->ranks / (all > 0 ? all : 1));
    if (owners[bucket] == example->ranks) --owners[bucket];  // empty ones at the end
    before += counts[bucket];
  }
}

// Sorts keys by their digit, stably.
static void PlaceKeys(const uint64_t* keys, int64_t count, int shift, const int64_t* own_counts,
                      uint64_t* placed, int64_t* places) {
  int64_t before = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    places[bucket] = before;
    before += own_counts[bucket];
  }
  for (int64_t i = 0; i < count; ++i) placed[places[Bucket(keys[i], shift)]++] = keys[i];
}

struct Keys {
  uint64_t* keys;
  int64_t count;
};

// One round: *mine becomes the keys of this rank's buckets, sorted by this digit.
static void SortDigit(struct Example* example, int shift, struct Keys* mine) {
  int64_t* own = Allocate(kBuckets, sizeof *own);
  int64_t* all = Allocate(kBuckets, sizeof *all);
  int64_t* places = Allocate(kBuckets, sizeof *places);
  int* owners = Allocate(kBuckets, sizeof *owners);
  struct Blocks out = NewBlocks(example->ranks);
  struct Blocks in = NewBlocks(example->ranks);

  Enter(example, kWork);
  for (int64_t i = 0; i < mine->count; ++i) ++own[Bucket(mine->keys[i], shift)];
  Enter(example, kCommunication);
  MPI_Allreduce(own, all, kBuckets, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  Enter(example, kWork);
  DealBuckets(example, all, owners);
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    out.bytes[owners[bucket]] += (int)(own[bucket] * (int64_t)sizeof(uint64_t));
  }
  PlaceBlocks(&out);
  PlaceKeys(mine->keys, mine->count, shift, own, (uint64_t*)out.data, places);
  Enter(example, kCommunication);
  MPI_Alltoall(out.bytes, 1, MPI_INT, in.bytes, 1, MPI_INT, MPI_COMM_WORLD);
  Enter(example, kOutside);
  const int64_t received = PlaceBlocks(&in) / (int64_t)sizeof(uint64_t);
  free(mine->keys);
  mine->keys = Allocate(received, sizeof(uint64_t));
  mine->count = received;
  Enter(example, kExchange);
  Exchange(example, &out, &in, MPI_COMM_WORLD);
  Enter(example, kWork);
  const uint64_t* unsorted = (const uint64_t*)in.data;
  for (int bucket = 0; bucket < kBuckets; ++bucket) own[bucket] = 0;
  for (int64_t i = 0; i < received; ++i) ++own[Bucket(unsorted[i], shift)];
  PlaceKeys(unsorted, received, shift, own, mine->keys, places);
  Enter(example, kOutside);

  FreeBlocks(&out);
  FreeBlocks(&in);
  free(own);
  free(all);
  free(places);
  free(owners);
}

static bool Run(struct Example* example) {
  struct Keys mine = {Allocate(example->size, sizeof(uint64_t)), example->size};
  const struct Digest before = FillKeys(example, mine.keys, mine.count, 64);
  for (int shift = 0; shift < 64; shift += kDigitBits) SortDigit(example, shift, &mine);
  const bool right = AreSorted(example, mine.keys, mine.count, before);
  free(mine.keys);
  return right;
}

static const char* Refuse(const struct Example* example) {
  return example->size > 1 << 24 ? "--size: at most 16777216 keys of a rank" : NULL;
}

const struct Program kProgram = {.name = "radix-sort",
                                 .summary = "sorts 64-bit integers, 16 bits at a time",
                                 .size_text = "keys of each rank",
                                 .usual_size = 10000,
                                 .refuse = Refuse,
                                 .run = Run};
