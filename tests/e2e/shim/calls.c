#include "calls.h"

#include <math.h>
#include <string.h>

/* What rank r has at element i. Sums of five ranks fit a byte: this library adds bytes up to 255
 * and no further on processors with vectors. */
static double input(int r, long i) { return (double)((r * 31 + i * 7 + 1) % 50); }

static double sum_of(int first, int end, long i) {
  double sum = 0;
  for (int r = first; r < end; ++r) sum += input(r, i);
  return sum;
}

static int differs(const Call* c, long at, double expected) {
  if (!c->doubles) return ((unsigned char*)c->out)[at] != (unsigned char)(long)expected;
  return fabs(((double*)c->out)[at] - expected) > 1e-12 * fabs(expected);
}

/* `count` results from element `at` on must be rank r's elements from `from` on. */
static int wrong_copies(const Call* c, long at, int r, long from, long count) {
  int wrong = 0;
  for (long i = 0; i < count; ++i) wrong += differs(c, at + i, input(r, from + i));
  return wrong;
}

/* The first `count` results must be sums over ranks [first, end) of their elements from `from`. */
static int wrong_sums(const Call* c, int first, int end, long from, long count) {
  int wrong = 0;
  for (long i = 0; i < count; ++i) wrong += differs(c, i, sum_of(first, end, from + i));
  return wrong;
}

/* Each collective returns wrong elements, and the number of its results. */
typedef int (*Collective)(Call* c, long* results);

static int allgather(Call* c, long* results) {
  MPI_Allgather(c->in, c->block, c->type, c->out, c->block, c->type, c->comm);
  *results = (long)c->block * c->size;
  int wrong = 0;
  for (int r = 0; r < c->size; ++r) wrong += wrong_copies(c, (long)r * c->block, r, 0, c->block);
  return wrong;
}

static int allgatherv(Call* c, long* results) {
  MPI_Allgatherv(c->in, c->counts[c->rank], c->type, c->out, c->counts, c->displs, c->type,
                 c->comm);
  *results = (long)c->block * c->size;
  int wrong = 0;
  for (int r = 0; r < c->size; ++r) wrong += wrong_copies(c, c->displs[r], r, 0, c->counts[r]);
  return wrong;
}

static int allreduce(Call* c, long* results) {
  MPI_Allreduce(c->in, c->out, c->block, c->type, MPI_SUM, c->comm);
  return wrong_sums(c, 0, c->size, 0, *results = c->block);
}

static int alltoall(Call* c, long* results) {
  MPI_Alltoall(c->in, c->block, c->type, c->out, c->block, c->type, c->comm);
  *results = (long)c->block * c->size;
  int wrong = 0;
  for (int r = 0; r < c->size; ++r) {
    wrong += wrong_copies(c, (long)r * c->block, r, (long)c->rank * c->block, c->block);
  }
  return wrong;
}

/* What a rank gets from each peer is as long as its own count says. */
static int alltoallv(Call* c, long* results) {
  const int own = c->counts[c->rank];
  int counts[c->size], displs[c->size];
  for (int r = 0; r < c->size; ++r) {
    counts[r] = own;
    displs[r] = r * own;
  }
  MPI_Alltoallv(c->in, c->counts, c->displs, c->type, c->out, counts, displs, c->type, c->comm);
  *results = (long)own * c->size;
  int wrong = 0;
  for (int r = 0; r < c->size; ++r) wrong += wrong_copies(c, displs[r], r, c->displs[c->rank], own);
  return wrong;
}

static int barrier(Call* c, long* results) {
  *results = 0;
  return MPI_Barrier(c->comm) != MPI_SUCCESS;
}

static int bcast(Call* c, long* results) {
  if (c->rank == c->root) {
    memcpy(c->out, c->in, (size_t)c->block * (c->doubles ? sizeof(double) : 1));
  }
  MPI_Bcast(c->out, c->block, c->type, c->root, c->comm);
  return wrong_copies(c, 0, c->root, 0, *results = c->block);
}

static int exscan(Call* c, long* results) {
  MPI_Exscan(c->in, c->out, c->block, c->type, MPI_SUM, c->comm);
  *results = c->rank == 0 ? 0 : c->block;
  return wrong_sums(c, 0, c->rank, 0, *results);
}

static int gather(Call* c, long* results) {
  MPI_Gather(c->in, c->block, c->type, c->out, c->block, c->type, c->root, c->comm);
  if (c->rank != c->root) return 0;
  *results = (long)c->block * c->size;
  int wrong = 0;
  for (int r = 0; r < c->size; ++r) wrong += wrong_copies(c, (long)r * c->block, r, 0, c->block);
  return wrong;
}

static int reduce(Call* c, long* results) {
  MPI_Reduce(c->in, c->out, c->block, c->type, MPI_SUM, c->root, c->comm);
  if (c->rank != c->root) return 0;
  return wrong_sums(c, 0, c->size, 0, *results = c->block);
}

static int reduce_scatter(Call* c, long* results) {
  MPI_Reduce_scatter(c->in, c->out, c->counts, c->type, MPI_SUM, c->comm);
  return wrong_sums(c, 0, c->size, c->displs[c->rank], *results = c->counts[c->rank]);
}

static int reduce_scatter_block(Call* c, long* results) {
  MPI_Reduce_scatter_block(c->in, c->out, c->block, c->type, MPI_SUM, c->comm);
  return wrong_sums(c, 0, c->size, (long)c->rank * c->block, *results = c->block);
}

static int scan(Call* c, long* results) {
  MPI_Scan(c->in, c->out, c->block, c->type, MPI_SUM, c->comm);
  return wrong_sums(c, 0, c->rank + 1, 0, *results = c->block);
}

static int scatter(Call* c, long* results) {
  MPI_Scatter(c->in, c->block, c->type, c->out, c->block, c->type, c->root, c->comm);
  return wrong_copies(c, 0, c->root, (long)c->rank * c->block, *results = c->block);
}

static const struct {
  const char* name;
  Collective run;
} kCollectives[] = {
    {"allgather", allgather},
    {"allgatherv", allgatherv},
    {"allreduce", allreduce},
    {"alltoall", alltoall},
    {"alltoallv", alltoallv},
    {"barrier", barrier},
    {"bcast", bcast},
    {"exscan", exscan},
    {"gather", gather},
    {"reduce", reduce},
    {"reduce_scatter", reduce_scatter},
    {"reduce_scatter_block", reduce_scatter_block},
    {"scan", scan},
    {"scatter", scatter},
};

static void fill(Call* c) {
  const long all = (long)c->block * c->size;
  for (long i = 0; i < all; ++i) {
    if (c->doubles) {
      ((double*)c->in)[i] = input(c->rank, i);
    } else {
      ((unsigned char*)c->in)[i] = (unsigned char)input(c->rank, i);
    }
  }
}

int run_call(const char* collective, Call* call, unsigned long* digest) {
  fill(call);
  *digest = 0;
  for (size_t k = 0; k < sizeof(kCollectives) / sizeof(kCollectives[0]); ++k) {
    if (strcmp(kCollectives[k].name, collective) != 0) continue;
    long results = 0;
    const int wrong = kCollectives[k].run(call, &results);
    for (long i = 0; i < results && !call->doubles; ++i) {
      *digest = (*digest ^ ((unsigned char*)call->out)[i]) * 1099511628211UL + 1;
    }
    return wrong;
  }
  return -1;
}
