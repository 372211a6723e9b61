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

// The requests of a rank's messages.
struct Requests {
  MPI_Request* requests;
  int count;
};

static int64_t MessagesOf(int64_t bytes, const struct Order* order) {
  if (order->grain_bytes == 0) return bytes > 0;
  return (bytes + order->grain_bytes - 1) / order->grain_bytes;
}

// The bytes of the message that begins at `at` of a part.
static int MessageBytes(int64_t bytes, int64_t at, const struct Order* order) {
  const int64_t left = bytes - at;
  return (int)(order->grain_bytes == 0 || left < order->grain_bytes ? left : order->grain_bytes);
}

static void StartReceiving(char* data, int64_t bytes, int from, const struct Order* order,
                           MPI_Comm comm, struct Requests* all) {
  for (int64_t at = 0; at < bytes; at += MessageBytes(bytes, at, order)) {
    MPI_Irecv(data + at, MessageBytes(bytes, at, order), MPI_BYTE, from, kTag, comm,
              &all->requests[all->count++]);
  }
}

static void SendPart(const char* data, int64_t bytes, int to, const struct Order* order,
                     MPI_Comm comm, struct Requests* all) {
  for (int64_t at = 0; at < bytes; at += MessageBytes(bytes, at, order)) {
    const int length = MessageBytes(bytes, at, order);
    if (order->in_turns) {
      MPI_Send(data + at, length, MPI_BYTE, to, kTag, comm);
    } else {
      MPI_Isend(data + at, length, MPI_BYTE, to, kTag, comm, &all->requests[all->count++]);
    }
  }
}

// The rank's part for, or from, each rank.
struct Part {
  char* data;
  int64_t bytes;
};

// All receives are posted first, so no order of blocking sends deadlocks.
static void Swap(const struct Part* out, const struct Part* in, const struct Order* order,
                 MPI_Comm comm) {
  static const struct Order kAllAtOnce = {0};
  if (order == NULL) order = &kAllAtOnce;
  const struct Ranks ranks = RanksOf(comm);
  int64_t messages = 0;
  for (int i = 0; i < ranks.count; ++i) {
    messages += MessagesOf(in[i].bytes, order) + MessagesOf(out[i].bytes, order);
  }
  struct Requests all = {Allocate(messages, sizeof(MPI_Request)), 0};
  for (int k = 1; k < ranks.count; ++k) {
    const int from = (ranks.rank - k + ranks.count) % ranks.count;
    StartReceiving(in[from].data, in[from].bytes, from, order, comm, &all);
  }
  for (int k = 0; k < ranks.count; ++k) {
    const int to = order->naive ? k : (ranks.rank + k) % ranks.count;
    if (to != ranks.rank) SendPart(out[to].data, out[to].bytes, to, order, comm, &all);
  }
  WaitAll(all.count, all.requests);
  free(all.requests);
}

// Part i is at data + i x stride.
static struct Part* PartsAt(char* data, int64_t stride, int64_t part_bytes, int ranks) {
  struct Part* parts = Allocate(ranks, sizeof *parts);
  for (int i = 0; i < ranks; ++i) parts[i] = (struct Part){data + i * stride, part_bytes};
  return parts;
}

static void SwapAt(char* out, int64_t out_stride, char* in, int64_t part_bytes,
                   const struct Order* order, MPI_Comm comm) {
  const int ranks = RanksOf(comm).count;
  struct Part* out_parts = PartsAt(out, out_stride, part_bytes, ranks);
  struct Part* in_parts = PartsAt(in, part_bytes, part_bytes, ranks);
  Swap(out_parts, in_parts, order, comm);
  free(out_parts);
  free(in_parts);
}

void ShareParts(void* data, int64_t part_bytes, const struct Order* order, MPI_Comm comm) {
  char* parts = data;
  SwapAt(parts + RanksOf(comm).rank * part_bytes, 0, parts, part_bytes, order, comm);
}

void SwapParts(const void* out, void* in, int64_t part_bytes, const struct Order* order,
               MPI_Comm comm) {
  const int64_t own = RanksOf(comm).rank * part_bytes;
  memcpy((char*)in + own, (const char*)out + own, (size_t)part_bytes);
  SwapAt((char*)out, part_bytes, in, part_bytes, order, comm);
}

void SwapWith(int partner, const void* out, int64_t out_bytes, void* in, int64_t in_bytes,
              const struct Order* order, MPI_Comm comm) {
  const int ranks = RanksOf(comm).count;
  struct Part* out_parts = PartsAt(NULL, 0, 0, ranks);
  struct Part* in_parts = PartsAt(NULL, 0, 0, ranks);
  out_parts[partner] = (struct Part){(char*)out, out_bytes};
  in_parts[partner] = (struct Part){in, in_bytes};
  Swap(out_parts, in_parts, order, comm);
  free(out_parts);
  free(in_parts);
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

static void CopyOwn(const struct Blocks* out, struct Blocks* in, int rank) {
  memcpy(in->data + in->offsets[rank], out->data + out->offsets[rank], (size_t)out->bytes[rank]);
}

void SendStaggered(const struct Blocks* out, struct Blocks* in, bool barriers, MPI_Comm comm) {
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
    if (barriers) MPI_Barrier(comm);
  }
  CopyOwn(out, in, ranks.rank);
}

void SendCut(const struct Blocks* out, struct Blocks* in, const struct Order* order,
             MPI_Comm comm) {
  const struct Ranks ranks = RanksOf(comm);
  SwapParts(out->bytes, in->bytes, sizeof *out->bytes, NULL, comm);
  PlaceBlocks(in);
  struct Part* out_parts = Allocate(ranks.count, sizeof *out_parts);
  struct Part* in_parts = Allocate(ranks.count, sizeof *in_parts);
  for (int i = 0; i < ranks.count; ++i) {
    out_parts[i] = (struct Part){out->data + out->offsets[i], out->bytes[i]};
    in_parts[i] = (struct Part){in->data + in->offsets[i], in->bytes[i]};
  }
  Swap(out_parts, in_parts, order, comm);
  CopyOwn(out, in, ranks.rank);
  free(out_parts);
  free(in_parts);
}
