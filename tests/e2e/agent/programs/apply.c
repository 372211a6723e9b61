/* What steering has to leave alone, or to come through: calls that MPI allows and programs rarely
 * make. Every rank checks its results; rank 0 prints a line per part.
 *
 * usage: apply */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 4096 };

static int rank, size, wrong;

static void expect(int condition) { wrong += condition ? 0 : 1; }

static void say(const char* part) {
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %d wrong\n", part, all);
}

/* The same bytes under other counts and types on the root than elsewhere. */
static void mixed_types(MPI_Comm comm) {
  unsigned char data[kMost];
  MPI_Datatype all;
  MPI_Type_contiguous(kMost, MPI_BYTE, &all);
  MPI_Type_commit(&all);
  for (int root = 0; root < size; ++root) {
    memset(data, rank == root ? root + 1 : 0, sizeof(data));
    if (rank == root) {
      MPI_Bcast(data, 1, all, root, comm);
    } else {
      MPI_Bcast(data, kMost, MPI_BYTE, root, comm);
    }
    expect(data[0] == root + 1 && data[kMost - 1] == root + 1);
  }
  MPI_Type_free(&all);
}

/* Arguments that do not count on a rank are rubbish there. */
static void rubbish(MPI_Comm comm) {
  int own[64], all[64 * 64];
  for (int i = 0; i < 64; ++i) own[i] = rank * 64 + i;
  for (int root = 0; root < size; ++root) {
    const int here = rank == root;
    MPI_Gather(own, 64, MPI_INT, here ? all : NULL, here ? 64 : -7,
               here ? MPI_INT : MPI_DATATYPE_NULL, root, comm);
    for (int i = 0; here && i < 64 * size; ++i) expect(all[i] == i);
    int mine[64];
    MPI_Scatter(here ? all : NULL, here ? 64 : -7, here ? MPI_INT : MPI_DATATYPE_NULL, mine, 64,
                MPI_INT, root, comm);
    expect(memcmp(mine, own, sizeof(own)) == 0);
  }
}

/* x -> ax + b, composed: the order matters. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const unsigned* first = in;
  unsigned* second = inout;
  for (int i = 0; i + 1 < *length; i += 2) {
    second[i + 1] += first[i + 1] * second[i];
    second[i] *= first[i];
  }
}

static void own_operation(MPI_Comm comm) {
  MPI_Op op;
  MPI_Op_create(compose, 0, &op);
  for (int count = 2; count <= 2048; count *= 4) {
    unsigned in[2048], out[2048], expected[2] = {1, 0};
    for (int i = 0; i < count; i += 2) {
      in[i] = (unsigned)rank + 2;
      in[i + 1] = (unsigned)rank * 3 + 1;
    }
    MPI_Allreduce(in, out, count, MPI_UNSIGNED, op, comm);
    for (int r = 0; r < size; ++r) {
      unsigned one[2] = {(unsigned)r + 2, (unsigned)r * 3 + 1};
      int two = 2;
      compose(expected, one, &two, NULL);
      memcpy(expected, one, sizeof(one));
    }
    for (int i = 0; i < count; i += 2) expect(out[i] == expected[0] && out[i + 1] == expected[1]);
  }
  MPI_Op_free(&op);
}

static void between_groups(void) {
  MPI_Comm half, inter;
  const int side = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &inter);
  for (int i = 0; i < 200; ++i) {
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    expect(sum == (side == 0 ? size / 2 : size - size / 2));
    int word = side == 0 && rank == 0 ? 77 : 0;
    MPI_Bcast(&word, 1, MPI_INT, side == 0 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter);
    expect(side == 0 || word == 77);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static int handled;
static MPI_Comm handled_comm;
static void handler(MPI_Comm* comm, int* error, ...) {
  ++handled;
  handled_comm = *comm;
  (void)error;
}

/* Errors come to the handler of the program's communicator, and what follows works. */
static void errors(MPI_Comm comm) {
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  for (int i = 0; i < 3; ++i) {
    char byte = 1;
    int class = MPI_SUCCESS;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Bcast(&byte, 1, MPI_CHAR, size + 3, comm), &class);
    expect(class == MPI_ERR_ROOT);
    MPI_Comm_set_errhandler(comm, own);
    handled = 0;
    MPI_Bcast(&byte, 1, MPI_CHAR, -9, comm);
    expect(handled == 1 && handled_comm == comm);
    MPI_Bcast(&byte, 1, MPI_CHAR, 0, comm);
    expect(handled == 1);
  }
  MPI_Errhandler_free(&own);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

/* Not the copy function's business: the agent's communicators are none of the program's. */
static int copies;
static int count_copies(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int key;
  MPI_Comm_create_keyval(count_copies, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
  MPI_Comm other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &other);
  for (int i = 0; i < 120; ++i) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
    expect(sum == size * (size - 1) / 2);
  }
  say("calls");
  for (int i = 0; i < 2; ++i) {
    const MPI_Comm comm = i == 0 ? MPI_COMM_WORLD : other;
    mixed_types(comm);
    say("mixed types");
    rubbish(comm);
    say("rubbish");
    own_operation(comm);
    say("own operation");
    errors(comm);
    say("errors");
  }
  between_groups();
  say("between groups");
  expect(copies == 0);
  say("attributes");
  MPI_Comm_free(&other);
  MPI_Finalize();
  return wrong == 0 ? 0 : 3;
}
