/* Calls that an MPI library refuses on every rank because of their arguments, of the collectives
 * that `refused` leaves out; a right call follows each. Rank 0 prints for each case, on each rank:
 * error class, calls of the program's error handler, 1 if the right call fails.
 *
 * usage: misused return|handler|other
 *   return, handler   errors return, or call a handler of the program
 *   other             the calls are on another communicator than MPI_COMM_WORLD, whose handler
 *                     counts by hundreds */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMostRanks = 16, kCount = 4, kOften = 150 };

static int rank, size, handled;
static int in[kCount * kMostRanks], out[kCount * kMostRanks];
static int counts[kMostRanks], offsets[kMostRanks];
static MPI_Datatype uncommitted;

static MPI_Comm used;

static void handler(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handled;
}

static void hundreds(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  handled += 100;
}

/* The arguments of a call; cases change one of them. */
struct arguments {
  void* out;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;
};

static struct arguments right(void) {
  return (struct arguments){out, kCount, MPI_INT, MPI_SUM, size - 1, used};
}

static const int* counts_of(int count) {
  for (int i = 0; i < size; ++i) {
    counts[i] = count;
    offsets[i] = i * kCount;
  }
  return counts;
}

static int allreduce(const struct arguments* a) {
  return MPI_Allreduce(in, a->out, a->count, a->type, a->op, a->comm);
}
static int reduce(const struct arguments* a) {
  return MPI_Reduce(in, a->out, a->count, a->type, a->op, a->root, a->comm);
}
static int scan(const struct arguments* a) {
  return MPI_Scan(in, a->out, a->count, a->type, a->op, a->comm);
}
static int exscan(const struct arguments* a) {
  return MPI_Exscan(in, a->out, a->count, a->type, a->op, a->comm);
}
static int reduce_scatter_block(const struct arguments* a) {
  return MPI_Reduce_scatter_block(in, a->out, a->count, a->type, a->op, a->comm);
}
static int reduce_scatter(const struct arguments* a) {
  return MPI_Reduce_scatter(in, a->out, counts_of(a->count), a->type, a->op, a->comm);
}
static int allgather(const struct arguments* a) {
  return MPI_Allgather(in, a->count, a->type, a->out, a->count, a->type, a->comm);
}
static int allgatherv(const struct arguments* a) {
  const int* all = counts_of(a->count);
  return MPI_Allgatherv(in, a->count, a->type, a->out, all, offsets, a->type, a->comm);
}
static int alltoallv(const struct arguments* a) {
  const int* all = counts_of(a->count);
  return MPI_Alltoallv(in, all, offsets, a->type, a->out, all, offsets, a->type, a->comm);
}
static int gatherv(const struct arguments* a) {
  const int* all = counts_of(kCount);
  return MPI_Gatherv(in, a->count, a->type, out, all, offsets, MPI_INT, a->root, a->comm);
}
static int scatterv(const struct arguments* a) {
  const int* all = counts_of(kCount);
  return MPI_Scatterv(in, all, offsets, MPI_INT, a->out, a->count, a->type, a->root, a->comm);
}
static int barrier(const struct arguments* a) { return MPI_Barrier(a->comm); }

static void negative_count(struct arguments* a) { a->count = -1; }
static void null_type(struct arguments* a) { a->type = MPI_DATATYPE_NULL; }
static void uncommitted_type(struct arguments* a) { a->type = uncommitted; }
static void null_op(struct arguments* a) { a->op = MPI_OP_NULL; }
static void unfit_op(struct arguments* a) {
  a->op = MPI_BAND;
  a->type = MPI_DOUBLE;
  a->count = 1;
}
static void null_comm(struct arguments* a) { a->comm = MPI_COMM_NULL; }
static void large_root(struct arguments* a) { a->root = size; }
static void negative_root(struct arguments* a) { a->root = -9; }
static void out_in_place(struct arguments* a) { a->out = MPI_IN_PLACE; }

enum { kAny, kReduces = 1, kHasRoot = 2, kReceives = 4, kHasData = 8, kMoves = 16 };
/* MPICH does not test the counts of reductions. */
#ifdef OPEN_MPI
enum { kTestsCount = kHasData };
#else
enum { kTestsCount = kMoves };
#endif

static const struct {
  const char* name;
  int (*call)(const struct arguments*);
  int traits;
} operations[] = {
    {"allreduce", allreduce, kHasData | kReduces | kReceives},
    {"reduce", reduce, kHasData | kReduces | kHasRoot},
    {"scan", scan, kHasData | kReduces},
    {"exscan", exscan, kHasData | kReduces},
    {"reduce_scatter_block", reduce_scatter_block, kHasData | kReduces | kReceives},
    {"reduce_scatter", reduce_scatter, kHasData | kReduces | kReceives},
    {"allgather", allgather, kHasData | kMoves | kReceives},
    {"allgatherv", allgatherv, kHasData | kMoves | kReceives},
    {"alltoallv", alltoallv, kHasData | kMoves | kReceives},
    {"gatherv", gatherv, kHasData | kMoves | kHasRoot},
    {"scatterv", scatterv, kHasData | kMoves | kHasRoot},
    {"barrier", barrier, kAny},
};

static const struct {
  const char* name;
  void (*change)(struct arguments*);
  int needs;
} mistakes[] = {
    {"negative count", negative_count, kTestsCount},
    {"null type", null_type, kHasData},
    {"uncommitted type", uncommitted_type, kHasData},
    {"null op", null_op, kReduces},
    {"unfit op", unfit_op, kReduces},
    {"null comm", null_comm, kReduces},
    {"large root", large_root, kHasRoot},
    {"negative root", negative_root, kHasRoot},
    {"recvbuf in place", out_in_place, kReceives},
};

static void run(int operation, int mistake) {
  struct arguments given = right();
  mistakes[mistake].change(&given);
  handled = 0;
  int class = MPI_SUCCESS;
  MPI_Error_class(operations[operation].call(&given), &class);
  const int seen = handled;
  given = right();
  const int fails = operations[operation].call(&given) != MPI_SUCCESS;
  const int own[3] = {class, seen, fails};
  int every[3 * kMostRanks];
  MPI_Gather(own, 3, MPI_INT, every, 3, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s, %s:", operations[operation].name, mistakes[mistake].name);
  for (int i = 0; i < size; ++i) {
    printf(" %d/%d/%d", every[3 * i], every[3 * i + 1], every[3 * i + 2]);
  }
  printf("\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  MPI_Errhandler own, of_world;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_create_errhandler(hundreds, &of_world);
  const char* what = argc > 1 ? argv[1] : "";
  used = MPI_COMM_WORLD;
  if (strcmp(what, "other") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &used);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
    /* As often as it takes to be steered. */
    for (int i = 0; i < kOften; ++i) MPI_Allreduce(in, out, kCount, MPI_INT, MPI_SUM, used);
  }
  MPI_Comm_set_errhandler(used, strcmp(what, "return") == 0 ? MPI_ERRORS_RETURN : own);
  for (int i = 0; i < (int)(sizeof(operations) / sizeof(operations[0])); ++i) {
    for (int k = 0; k < (int)(sizeof(mistakes) / sizeof(mistakes[0])); ++k) {
      if ((operations[i].traits & mistakes[k].needs) == mistakes[k].needs) run(i, k);
    }
  }
  if (used != MPI_COMM_WORLD) MPI_Comm_free(&used);
  MPI_Errhandler_free(&own);
  MPI_Errhandler_free(&of_world);
  MPI_Type_free(&uncommitted);
  MPI_Finalize();
  return 0;
}
