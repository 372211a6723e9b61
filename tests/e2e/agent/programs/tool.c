/* A tool that intercepts MPI behind the agent (loaded after it). It says on stderr when a
 * collective runs on a communicator, or one is freed, whose making it did not see, and in
 * MPI_Finalize how often it saw what the agent calls as well, a line per rank:
 *
 *   seen by rank 1: MPI_Comm_create 0, MPI_Comm_free 3, MPI_Allreduce 249, MPI_Barrier 0
 *
 * FAIL_MAKING=RANK: MPI_Comm_create fails on that rank of MPI_COMM_WORLD and calls the error
 * handler, as it does when there are no communicators left. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 4096 };

static MPI_Comm seen[kMost];
static int count;
static int created, freed, reduced, met; /* calls */

static void see(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL && count < kMost) seen[count++] = comm;
}

static int find(MPI_Comm comm) {
  for (int i = 0; i < count; ++i) {
    if (seen[i] == comm) return i;
  }
  return -1;
}

static void check(MPI_Comm comm, const char* what) {
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF || comm == MPI_COMM_NULL) return;
  if (find(comm) < 0) fprintf(stderr, "tool: %s on an unknown communicator\n", what);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  int (*const create)(MPI_Comm, MPI_Group, MPI_Comm*) =
      (int (*)(MPI_Comm, MPI_Group, MPI_Comm*))dlsym(RTLD_NEXT, "PMPI_Comm_create");
  const char* fails = getenv("FAIL_MAKING");
  int rank = 0;
  const int result = create(comm, group, made);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (fails == NULL || rank != atoi(fails)) return result;
  *made = MPI_COMM_NULL;
  PMPI_Comm_call_errhandler(comm, MPI_ERR_INTERN);
  return MPI_ERR_INTERN;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  ++created;
  const int result = PMPI_Comm_create(comm, group, made);
  if (result == MPI_SUCCESS) see(*made);
  return result;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  const int result = PMPI_Comm_dup(comm, made);
  if (result == MPI_SUCCESS) see(*made);
  return result;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  const int result = PMPI_Comm_split(comm, color, key, made);
  if (result == MPI_SUCCESS) see(*made);
  return result;
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag,
                         MPI_Comm* made) {
  const int result = PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
  if (result == MPI_SUCCESS) see(*made);
  return result;
}

int MPI_Comm_free(MPI_Comm* comm) {
  ++freed;
  check(*comm, "MPI_Comm_free");
  const int at = find(*comm);
  if (at >= 0) seen[at] = seen[--count];
  return PMPI_Comm_free(comm);
}

int MPI_Bcast(void* buffer, int elements, MPI_Datatype type, int root, MPI_Comm comm) {
  check(comm, "MPI_Bcast");
  return PMPI_Bcast(buffer, elements, type, root, comm);
}

int MPI_Allreduce(const void* in, void* out, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++reduced;
  check(comm, "MPI_Allreduce");
  return PMPI_Allreduce(in, out, elements, type, op, comm);
}

int MPI_Gather(const void* in, int sent, MPI_Datatype sent_type, void* out, int received,
               MPI_Datatype received_type, int root, MPI_Comm comm) {
  check(comm, "MPI_Gather");
  return PMPI_Gather(in, sent, sent_type, out, received, received_type, root, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  ++met;
  check(comm, "MPI_Barrier");
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "seen by rank %d: MPI_Comm_create %d, MPI_Comm_free %d, MPI_Allreduce %d, "
          "MPI_Barrier %d\n",
          rank, created, freed, reduced, met);
  return PMPI_Finalize();
}
