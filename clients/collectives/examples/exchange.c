// Blocks, and the ways in which ranks exchange them.
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

void Exchange(struct Example* example, const struct Blocks* out, struct Blocks* in, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) {
    ++example->exchanges;
    for (int i = 0; i < out->ranks; ++i) example->sent_bytes[i] += out->bytes[i];
  }
  MPI_Alltoallv(out->data, out->bytes, out->offsets, MPI_BYTE, in->data, in->bytes, in->offsets,
                MPI_BYTE, comm);
}
