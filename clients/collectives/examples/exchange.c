// The ways in which ranks exchange blocks.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cox/coll.h"
#include "example.h"

const char* ExchangeWays(void) {
  return kProgram.many ? "mpi,auto,direct,mesh2d,grid3d,hypercube"
                       : "mpi,auto,direct,windowed,pairwise,mesh2d,grid3d,hypercube";
}

static void Demand(int code) {
  if (code != MPI_SUCCESS) Fail(cox_error());
}

// Sends messages instead of blocks: a rank that gets nothing from another one need not know it.
static void ExchangeMany(const struct Blocks* out, struct Blocks* in, MPI_Comm comm,
                         const char* algorithm) {
  cox_message* messages = Allocate(out->ranks, sizeof *messages);
  int count = 0;
  for (int rank = 0; rank < out->ranks; ++rank) {
    if (out->bytes[rank] == 0) continue;
    const cox_message message = {rank, out->bytes[rank], out->data + out->offsets[rank]};
    messages[count++] = message;
  }
  cox_request request = COX_REQUEST_NULL;
  Demand(cox_imany(messages, count, comm, algorithm, &request));
  cox_message* received = NULL;
  Demand(cox_wait_many(&request, &received, &count, NULL));
  for (int i = 0; i < count; ++i) {
    const int from = received[i].rank;
    if (received[i].bytes != in->bytes[from]) Fail("a message of another length than was sent");
    memcpy(in->data + in->offsets[from], received[i].data, (size_t)in->bytes[from]);
  }
  cox_free(received);
  free(messages);
}

void Exchange(struct Example* example, const struct Blocks* out, struct Blocks* in, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) {
    ++example->exchanges;
    for (int i = 0; i < out->ranks; ++i) example->sent_bytes[i] += out->bytes[i];
  }
  if (strcmp(example->algorithm, "mpi") == 0) {
    MPI_Alltoallv(out->data, out->bytes, out->offsets, MPI_BYTE, in->data, in->bytes, in->offsets,
                  MPI_BYTE, comm);
    return;
  }
  const char* algorithm = strcmp(example->algorithm, "auto") == 0 ? NULL : example->algorithm;
  if (kProgram.many) {
    ExchangeMany(out, in, comm, algorithm);
    return;
  }
  cox_request request = COX_REQUEST_NULL;
  Demand(cox_ialltoallv(out->data, out->bytes, out->offsets, MPI_BYTE, in->data, in->bytes,
                        in->offsets, MPI_BYTE, comm, algorithm, &request));
  Demand(cox_wait(&request, NULL));
}
