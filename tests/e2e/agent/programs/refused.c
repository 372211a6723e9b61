/* Calls that an MPI library refuses because of their arguments, each on the ranks that have the
 * wrong argument. After an error these ranks make the right call, so that the others go on. Rank 0
 * prints for each case, on each rank: error class, calls of the program's error handler, 1 if the
 * right call gave a wrong result.
 *
 * usage: refused return|handler|other|fatal
 *   return, handler   errors return, or call a handler of the program
 *   other             the calls are on another communicator than MPI_COMM_WORLD, whose handler
 *                     counts by hundreds
 *   fatal             one wrong call, which ends the job */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMostRanks = 16, kCount = 4, kOften = 150 };

static int rank, size, root, handled;
static int mine[kCount], all[kCount * kMostRanks], others[kCount * kMostRanks];
static MPI_Datatype uncommitted;

static void handler(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handled;
}

static MPI_Comm used = MPI_COMM_WORLD;

static void hundreds(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  handled += 100;
}

/* The arguments of a call; cases change some of them. */
struct arguments {
  const void* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;
};

static int value(int from, int to, int i) { return from * 100 + to * 10 + i; }

static struct arguments right(void* sendbuf, void* recvbuf) {
  for (int i = 0; i < kCount * size; ++i) {
    all[i] = value(rank, i / kCount, i % kCount);
    others[i] = -1;
  }
  for (int i = 0; i < kCount; ++i) mine[i] = value(rank, 0, i);
  return (struct arguments){sendbuf, kCount, MPI_INT, recvbuf, kCount, MPI_INT, root, used};
}

static struct arguments right_gather(void) { return right(mine, others); }
static int gather(const struct arguments* a) {
  return MPI_Gather(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype,
                    a->root, a->comm);
}
static int check_gather(void) {
  int wrong = 0;
  for (int i = 0; rank == root && i < kCount * size; ++i) {
    wrong |= others[i] != value(i / kCount, 0, i % kCount);
  }
  return wrong;
}

static struct arguments right_scatter(void) { return right(all, mine); }
static int scatter(const struct arguments* a) {
  return MPI_Scatter(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype,
                     a->root, a->comm);
}
static int check_scatter(void) {
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong |= mine[i] != value(root, rank, i);
  return wrong;
}

static struct arguments right_bcast(void) { return right(mine, mine); }
static int bcast(const struct arguments* a) {
  return MPI_Bcast(a->recvbuf, a->recvcount, a->recvtype, a->root, a->comm);
}
static int check_bcast(void) {
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong |= mine[i] != value(root, 0, i);
  return wrong;
}

static struct arguments right_alltoall(void) { return right(all, others); }
static int alltoall(const struct arguments* a) {
  return MPI_Alltoall(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype,
                      a->comm);
}
static int check_alltoall(void) {
  int wrong = 0;
  for (int i = 0; i < kCount * size; ++i) wrong |= others[i] != value(i / kCount, rank, i % kCount);
  return wrong;
}

static void send_less(struct arguments* a) { a->sendcount = -1; }
static void receive_less(struct arguments* a) { a->recvcount = -1; }
static void send_no_type(struct arguments* a) { a->sendtype = MPI_DATATYPE_NULL; }
static void receive_no_type(struct arguments* a) { a->recvtype = MPI_DATATYPE_NULL; }
static void send_uncommitted(struct arguments* a) { a->sendtype = uncommitted; }
static void receive_uncommitted(struct arguments* a) { a->recvtype = uncommitted; }
static void large_root(struct arguments* a) { a->root = size; }
static void negative_root(struct arguments* a) { a->root = -4; }
static void no_comm(struct arguments* a) { a->comm = MPI_COMM_NULL; }
static void send_in_place(struct arguments* a) { a->sendbuf = MPI_IN_PLACE; }
static void receive_in_place(struct arguments* a) { a->recvbuf = MPI_IN_PLACE; }
static void same_buffers(struct arguments* a) { a->recvbuf = (void*)a->sendbuf; }
static void send_own_part(struct arguments* a) { a->sendbuf = others + root * kCount; }
static void receive_own_part(struct arguments* a) { a->recvbuf = all + root * kCount; }
#ifdef OPEN_MPI
static void send_more(struct arguments* a) { a->sendcount = 2 * kCount; }
#endif

enum who { kAll, kRoot, kLast };

static const struct {
  const char* name;
  struct arguments (*right)(void);
  int (*call)(const struct arguments*);
  int (*check)(void);
} operations[] = {{"gather", right_gather, gather, check_gather},
                  {"scatter", right_scatter, scatter, check_scatter},
                  {"bcast", right_bcast, bcast, check_bcast},
                  {"alltoall", right_alltoall, alltoall, check_alltoall}};
enum { kGather, kScatter, kBcast, kAlltoall };

static const struct {
  int operation;
  const char* name;
  enum who who;
  void (*change)(struct arguments*);
} cases[] = {
    {kGather, "negative sendcount", kLast, send_less},
    {kGather, "negative sendcount", kRoot, send_less},
    {kGather, "negative recvcount", kRoot, receive_less},
    {kGather, "null sendtype", kLast, send_no_type},
    {kGather, "null recvtype", kRoot, receive_no_type},
    {kGather, "uncommitted sendtype", kLast, send_uncommitted},
    {kGather, "uncommitted sendtype", kRoot, send_uncommitted},
    {kGather, "large root", kAll, large_root},
    {kGather, "negative root", kAll, negative_root},
    {kGather, "large root", kLast, large_root},
    {kGather, "null comm", kAll, no_comm},
    {kGather, "recvbuf in place", kRoot, receive_in_place},
    {kGather, "aliased", kRoot, send_own_part},
    {kScatter, "negative recvcount", kLast, receive_less},
    {kScatter, "negative recvcount", kRoot, receive_less},
    {kScatter, "null recvtype", kLast, receive_no_type},
    {kScatter, "null recvtype", kRoot, receive_no_type},
    {kScatter, "large root", kAll, large_root},
    {kScatter, "negative root", kAll, negative_root},
    {kScatter, "null comm", kAll, no_comm},
    {kScatter, "sendbuf in place", kRoot, send_in_place},
    {kScatter, "aliased", kRoot, receive_own_part},
    {kBcast, "negative count", kLast, receive_less},
    {kBcast, "null type", kLast, receive_no_type},
    {kBcast, "uncommitted type", kLast, receive_uncommitted},
    {kBcast, "uncommitted type", kRoot, receive_uncommitted},
    {kBcast, "large root", kAll, large_root},
    {kBcast, "negative root", kAll, negative_root},
    {kBcast, "null comm", kAll, no_comm},
    {kAlltoall, "negative sendcount", kAll, send_less},
    {kAlltoall, "negative recvcount", kAll, receive_less},
    {kAlltoall, "null sendtype", kAll, send_no_type},
    {kAlltoall, "null recvtype", kAll, receive_no_type},
    {kAlltoall, "uncommitted sendtype", kAll, send_uncommitted},
    {kAlltoall, "null comm", kAll, no_comm},
    {kAlltoall, "recvbuf in place", kAll, receive_in_place},
    {kAlltoall, "aliased", kAll, same_buffers},
/* What a library does not test ends in a crash or by chance. */
#ifdef OPEN_MPI
    {kBcast, "in place", kAll, receive_in_place},
    {kGather, "sendbuf in place", kLast, send_in_place},
    {kScatter, "recvbuf in place", kLast, receive_in_place},
    {kAlltoall, "different sizes", kAll, send_more},
#else
    {kScatter, "negative sendcount", kRoot, send_less},
#endif
};

static void run(int number) {
  const int operation = cases[number].operation;
  const enum who who = cases[number].who;
  const int is_wrong = who == kAll || (who == kRoot && rank == root) ||
                       (who == kLast && rank == (root == size - 1 ? 0 : size - 1));
  struct arguments given = operations[operation].right();
  if (is_wrong) cases[number].change(&given);
  handled = 0;
  int class = MPI_SUCCESS;
  MPI_Error_class(operations[operation].call(&given), &class);
  int wrong = 0;
  if (class != MPI_SUCCESS) {
    given = operations[operation].right();
    operations[operation].call(&given);
  }
  if (class != MPI_SUCCESS || !is_wrong) wrong = operations[operation].check();
  const int own[3] = {class, handled, wrong};
  int every[3 * kMostRanks];
  MPI_Allgather(own, 3, MPI_INT, every, 3, MPI_INT, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s, %s, root %d:", operations[operation].name, cases[number].name, root);
  for (int i = 0; i < size; ++i)
    printf(" %d/%d/%d", every[3 * i], every[3 * i + 1], every[3 * i + 2]);
  printf("\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  if (strcmp(what, "fatal") == 0) {
    MPI_Bcast(mine, kCount, MPI_INT, size, MPI_COMM_WORLD);
    printf("not reached\n");
  } else {
    MPI_Errhandler own, of_world;
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_create_errhandler(hundreds, &of_world);
    if (strcmp(what, "other") == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &used);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
      /* As often as it takes to be steered. */
      for (int i = 0; i < kOften; ++i) MPI_Bcast(mine, kCount, MPI_INT, 0, used);
    }
    MPI_Comm_set_errhandler(used, strcmp(what, "return") == 0 ? MPI_ERRORS_RETURN : own);
    for (root = 0; root < size; root += size - 1) {
      for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i) run(i);
    }
    if (used != MPI_COMM_WORLD) MPI_Comm_free(&used);
    MPI_Errhandler_free(&own);
    MPI_Errhandler_free(&of_world);
  }
  MPI_Type_free(&uncommitted);
  MPI_Finalize();
  return 0;
}
