/* Makes many collective calls in communicators of several sizes, and writes what each did.
   calls FILE OUTPUT-FOLDER SIZE... (without calls where negative): the file has a call per line:
   collective, bytes of a block, kind (byte: sums of bytes, double: sums of doubles, order: an
   operation that does not commute, inplace). Rank r writes OUTPUT-FOLDER/r: a line per call: size,
   line number, result, messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum { kMaxRanks = 64 };

typedef struct {
  char collective[32];
  int bytes;
  char kind[16];
} Call;

static void fail(const char* what) {
  fprintf(stderr, "calls: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Of (a, b): the first times the second, plus the second: maps x -> ax + b composed, modulo 2^8. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const unsigned char* first = in;
  unsigned char* second = inout;
  for (int i = 0; i + 1 < *length; i += 2) {
    const unsigned char a = (unsigned char)(first[i] * second[i]);
    second[i + 1] = (unsigned char)(first[i + 1] * second[i] + second[i + 1]);
    second[i] = a;
  }
}

/* Only after all communicators are there, which collectives of the library's own create. */
static void refuse_fallbacks(void) {
  int provided, index, count;
  MPI_T_cvar_handle handle;
  const int error = 0; /* the first of the variable's values: error, print, silent */
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS ||
      MPI_T_cvar_get_index("MPIR_CVAR_COLLECTIVE_FALLBACK", &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_write(handle, &error) != MPI_SUCCESS) {
    fail("MPIR_CVAR_COLLECTIVE_FALLBACK cannot be set");
  }
}

static int run(const Call* call, MPI_Comm comm, MPI_Op compose_op, unsigned char* send,
               unsigned char* recv) {
  int p, rank, counts[kMaxRanks], displs[kMaxRanks];
  MPI_Datatype types[kMaxRanks];
  MPI_Comm_size(comm, &p);
  MPI_Comm_rank(comm, &rank);
  const int doubles = strcmp(call->kind, "double") == 0;
  const MPI_Datatype type = doubles ? MPI_DOUBLE : MPI_UNSIGNED_CHAR;
  const int n = doubles ? call->bytes / (int)sizeof(double) : call->bytes;
  const MPI_Op op = strcmp(call->kind, "order") == 0 ? compose_op : MPI_SUM;
  const void* from = strcmp(call->kind, "inplace") == 0 ? MPI_IN_PLACE : send;
  const int root = p / 2;
  for (int i = 0; i < p; ++i) {
    counts[i] = n;
    displs[i] = i * n;
    types[i] = type;
  }
  const char* name = call->collective;
#define CALL(word, expression) \
  if (strcmp(name, word) == 0) return (expression)
  CALL("bcast", MPI_Bcast(recv, n, type, root, comm));
  CALL("reduce", MPI_Reduce(send, recv, n, type, op, root, comm));
  CALL("allreduce", MPI_Allreduce(send, recv, n, type, op, comm));
  CALL("scan", MPI_Scan(send, recv, n, type, op, comm));
  CALL("exscan", MPI_Exscan(send, recv, n, type, op, comm));
  CALL("barrier", MPI_Barrier(comm));
  CALL("allgather", MPI_Allgather(send, n, type, recv, n, type, comm));
  CALL("allgatherv", MPI_Allgatherv(send, n, type, recv, counts, displs, type, comm));
  CALL("gather", MPI_Gather(send, n, type, recv, n, type, root, comm));
  CALL("gatherv", MPI_Gatherv(send, n, type, recv, counts, displs, type, root, comm));
  CALL("scatter", MPI_Scatter(send, n, type, recv, n, type, root, comm));
  CALL("scatterv", MPI_Scatterv(send, counts, displs, type, recv, n, type, root, comm));
  CALL("reduce_scatter", MPI_Reduce_scatter(send, recv, counts, type, op, comm));
  CALL("reduce_scatter_block", MPI_Reduce_scatter_block(send, recv, n, type, op, comm));
  CALL("alltoall", MPI_Alltoall(from, n, type, recv, n, type, comm));
  CALL("alltoallv", MPI_Alltoallv(from, counts, displs, type, recv, counts, displs, type, comm));
  CALL("alltoallw", MPI_Alltoallw(from, counts, displs, types, recv, counts, displs, types, comm));
#undef CALL
  fail(name);
  return MPI_ERR_OTHER;
}

static void fill(const Call* call, int rank, int p, unsigned char* bytes, int seed) {
  const int length = call->bytes * p;
  if (strcmp(call->kind, "double") == 0) {
    double* values = (double*)(void*)bytes;
    for (int i = 0; i < length / (int)sizeof(double); ++i) {
      values[i] = 1.0 / (double)(1 + (rank * 7 + i * 3 + seed) % 1013);
    }
    return;
  }
  for (int i = 0; i < length; ++i) bytes[i] = (unsigned char)(rank * 31 + i * 7 + i / 251 + seed);
}

static void write_result(FILE* out, const Call* call, int p, const unsigned char* recv) {
  const int length = call->bytes * p;
  if (strcmp(call->kind, "double") == 0) {
    const double* values = (const double*)(const void*)recv;
    for (int i = 0; i < length / (int)sizeof(double); ++i) fprintf(out, "%.17g,", values[i]);
    return;
  }
  unsigned long long hash = 14695981039346656037ULL;
  for (int i = 0; i < length; ++i) hash = (hash ^ recv[i]) * 1099511628211ULL;
  fprintf(out, "%llx", hash);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 4 || world > kMaxRanks) fail("needs a file, a folder and sizes");
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", argv[2], rank);
  FILE* out = fopen(path, "w");
  FILE* in = fopen(argv[1], "r");
  if (out == NULL || in == NULL) fail("a file cannot be opened");
  static Call calls[4096];
  int count = 0;
  while (count < 4096 && fscanf(in, "%31s %d %15s", calls[count].collective, &calls[count].bytes,
                                calls[count].kind) == 3) {
    ++count;
  }
  int most = 0;
  for (int i = 0; i < count; ++i) most = calls[i].bytes > most ? calls[i].bytes : most;
  unsigned char* send = calloc((size_t)(most + 8) * (size_t)world, 1);
  unsigned char* recv = calloc((size_t)(most + 8) * (size_t)world, 1);
  MPI_Op order;
  MPI_Op_create(compose, 0, &order);
  MPI_Comm comms[16];
  const int sizes = argc - 3 < 16 ? argc - 3 : 16;
  for (int i = 0; i < sizes; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < abs(atoi(argv[3 + i])) ? 0 : MPI_UNDEFINED, rank,
                   &comms[i]);
  }
  if (getenv("COX_CALLS_FALLBACKS") == NULL) refuse_fallbacks();
  for (int i = 0; i < sizes; ++i) {
    if (comms[i] == MPI_COMM_NULL || atoi(argv[3 + i]) < 0) continue;
    MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    const int p = atoi(argv[3 + i]);
    for (int c = 0; c < count; ++c) {
      fill(&calls[c], rank, p, send, 1);
      fill(&calls[c], rank, p, recv, 101);
      recorder_start();
      const int error = run(&calls[c], comms[i], order, send, recv);
      const char* pattern = recorder_stop();
      fprintf(out, "%d %d ", p, c);
      if (error != MPI_SUCCESS) {
        fprintf(out, "unusable -\n");
        continue;
      }
      write_result(out, &calls[c], p, recv);
      fprintf(out, " %s\n", pattern[0] == '\0' ? "-" : pattern);
    }
  }
  fclose(out);
  MPI_Finalize();
  return 0;
}
