// Preloaded into a program of supersteps: counts the messages between two ranks, and their bytes,
// that the busiest rank of each superstep sends or receives. A barrier ends a superstep. Rank 0
// prints the sums when MPI ends:
//
//   counted messages=N bytes=N
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum Way { kSent, kReceived, kWays };
enum { kMaxSteps = 1 << 16 };

struct Step {
  double messages[kWays];
  double bytes[kWays];
};

static struct Step steps[kMaxSteps];
static int step_count = 1;

static void Count(enum Way way, int peer, int count, MPI_Datatype type) {
  if (peer == MPI_PROC_NULL) return;
  int size = 0;
  PMPI_Type_size(type, &size);
  struct Step* step = &steps[step_count - 1];
  step->messages[way] += 1;
  step->bytes[way] += (double)count * size;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  Count(kSent, to, count, type);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  Count(kSent, to, count, type);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  Count(kReceived, from, count, type);
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  Count(kReceived, from, count, type);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  Count(kSent, to, out_count, out_type);
  Count(kReceived, from, in_count, in_type);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                       comm, status);
}

int MPI_Barrier(MPI_Comm comm) {
  if (step_count == kMaxSteps) {
    fprintf(stderr, "count_messages: more than %d supersteps\n", kMaxSteps);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  ++step_count;
  return PMPI_Barrier(comm);
}

static double Larger(const double* ways) {
  return ways[kSent] > ways[kReceived] ? ways[kSent] : ways[kReceived];
}

int MPI_Finalize(void) {
  double* busiest = calloc(2 * (size_t)step_count, sizeof *busiest);
  if (busiest == NULL) PMPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < step_count; ++i) {
    busiest[2 * i] = Larger(steps[i].messages);
    busiest[2 * i + 1] = Larger(steps[i].bytes);
  }
  PMPI_Allreduce(MPI_IN_PLACE, busiest, 2 * step_count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double messages = 0;
  double bytes = 0;
  for (int i = 0; i < step_count; ++i) {
    messages += busiest[2 * i];
    bytes += busiest[2 * i + 1];
  }
  free(busiest);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("counted messages=%.0f bytes=%.0f\n", messages, bytes);
    fflush(stdout);
  }
  return PMPI_Finalize();
}
