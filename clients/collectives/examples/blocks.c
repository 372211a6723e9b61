// Blocks of a rank for, or from, each rank.
#include <limits.h>
#include <stdlib.h>

#include "example.h"

struct Blocks NewBlocks(int ranks) {
  const struct Blocks blocks = {ranks, Allocate(ranks, sizeof(int)), Allocate(ranks, sizeof(int)),
                                NULL};
  return blocks;
}

int64_t PlaceBlocks(struct Blocks* blocks) {
  int64_t bytes = 0;
  for (int i = 0; i < blocks->ranks; ++i) {
    blocks->offsets[i] = (int)bytes;
    bytes += blocks->bytes[i];
    if (bytes > INT_MAX) Fail("more bytes of one rank than MPI can count");
  }
  blocks->data = Allocate(bytes, 1);
  return bytes;
}

void FreeBlocks(struct Blocks* blocks) {
  free(blocks->bytes);
  free(blocks->offsets);
  free(blocks->data);
}
