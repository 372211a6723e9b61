#include "superstep.h"

#include <stdlib.h>
#include <string.h>

#include "example.h"

enum { kTag = 7 };

struct Ranks {
  int rank;
  int count;
};

static struct Ranks RanksOf(MPI_Comm comm) {
  struct Ranks ranks;
  MPI_Comm_rank(comm, &ranks.rank);
  MPI_Comm_size(comm, &ranks.count);
  return ranks;
}

/* Not MPI_Waitall: GCC takes MPICH's MPI_STATUSES_IGNORE for an array without room. */
static void WaitAll(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

void DealParts(void* data, int64_t part_bytes, int root, MPI_Comm comm) {
  const struct Ranks ranks = RanksOf(comm);
  char* parts = data;
  if (ranks.rank != root) {
    MPI_Recv(parts + ranks.rank * part_bytes, (int)part_bytes, MPI_BYTE, root, kTag, comm,
             MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request* requests = Allocate(ranks.count, sizeof(MPI_Request));
  int count = 0;
  for (int i = 0; i < ranks.count; ++i) {
    if (i == root) continue;
    MPI_Isend(parts + i * part_bytes, (int)part_bytes, MPI_BYTE, i, kTag, comm, &requests[count++]);
  }
  WaitAll(count, requests);
  free(requests);
}

// Sends the part at out + i x out_stride to rank i, and receives part i of `in` from it.
static void SwapAll(const char* out, int64_t out_stride, char* in, int64_t part_bytes,
                    MPI_Comm comm) {
  const struct Ranks ranks = RanksOf(comm);
  MPI_Request* requests = Allocate(2 * (int64_t)ranks.count, sizeof(MPI_Request));
  int count = 0;
  for (int k = 1; k < ranks.count; ++k) {
    const int from = (ranks.rank - k + ranks.count) % ranks.count;
    MPI_Irecv(in + from * part_bytes, (int)part_bytes, MPI_BYTE, from, kTag, comm,
              &requests[count++]);
  }
  for (int k = 1; k < ranks.count; ++k) {
    const int to = (ranks.rank + k) % ranks.count;
    MPI_Isend(out + to * out_stride, (int)part_bytes, MPI_BYTE, to, kTag, comm, &requests[count++]);
  }
  WaitAll(count, requests);
  free(requests);
}

void ShareParts(void* data, int64_t part_bytes, MPI_Comm comm) {
  char* parts = data;
  SwapAll(parts + RanksOf(comm).rank * part_bytes, 0, parts, part_bytes, comm);
}

void SwapParts(const void* out, void* in, int64_t part_bytes, MPI_Comm comm) {
  const int64_t own = RanksOf(comm).rank * part_bytes;
  memcpy((char*)in + own, (const char*)out + own, (size_t)part_bytes);
  SwapAll(out, part_bytes, in, part_bytes, comm);
}

void SendDownTree(void* data, int64_t bytes, int root, MPI_Comm comm) {
  const struct Ranks ranks = RanksOf(comm);
  const int p = ranks.count;
  const int relative = (ranks.rank - root + p) % p;
  for (int distance = 1; distance < p; distance *= 2) {
    if (relative < distance && relative + distance < p) {
      MPI_Send(data, (int)bytes, MPI_BYTE, (ranks.rank + distance) % p, kTag, comm);
    } else if (relative >= distance && relative < 2 * distance) {
      MPI_Recv(data, (int)bytes, MPI_BYTE, (ranks.rank - distance + p) % p, kTag, comm,
               MPI_STATUS_IGNORE);
    }
  }
}

void GatherUpTree(void* data, int64_t part_bytes, MPI_Comm comm) {
  const struct Ranks ranks = RanksOf(comm);
  char* parts = data;
  for (int half = 1; half < ranks.count; half *= 2) {
    const int sender = ranks.rank % (2 * half) == half ? ranks.rank : ranks.rank + half;
    if (ranks.rank % half != 0 || sender >= ranks.count) continue;
    const int held = half < ranks.count - sender ? half : ranks.count - sender;
    char* sent = parts + sender * part_bytes;
    const int bytes = (int)(held * part_bytes);
    if (sender == ranks.rank) {
      MPI_Send(sent, bytes, MPI_BYTE, sender - half, kTag, comm);
      return;
    }
    MPI_Recv(sent, bytes, MPI_BYTE, sender, kTag, comm, MPI_STATUS_IGNORE);
  }
}

void SendStaggered(const struct Blocks* out, struct Blocks* in, MPI_Comm comm) {
  const struct Ranks ranks = RanksOf(comm);
  in->bytes[ranks.rank] = out->bytes[ranks.rank];
  for (int k = 1; k < ranks.count; ++k) {
    const int to = (ranks.rank + k) % ranks.count;
    const int from = (ranks.rank - k + ranks.count) % ranks.count;
    MPI_Sendrecv(&out->bytes[to], 1, MPI_INT, to, kTag, &in->bytes[from], 1, MPI_INT, from, kTag,
                 comm, MPI_STATUS_IGNORE);
  }
  PlaceBlocks(in);
  for (int k = 1; k < ranks.count; ++k) {
    const int to = (ranks.rank + k) % ranks.count;
    const int from = (ranks.rank - k + ranks.count) % ranks.count;
    MPI_Sendrecv(out->data + out->offsets[to], out->bytes[to], MPI_BYTE, to, kTag,
                 in->data + in->offsets[from], in->bytes[from], MPI_BYTE, from, kTag, comm,
                 MPI_STATUS_IGNORE);
  }
  memcpy(in->data + in->offsets[ranks.rank], out->data + out->offsets[ranks.rank],
         (size_t)out->bytes[ranks.rank]);
}
