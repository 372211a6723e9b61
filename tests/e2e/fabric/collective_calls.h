/* Collectives by name, each as a call with a number of bytes on MPI_COMM_WORLD, for programs that
 * time them; and comma-separated lists. */
#ifndef COX_TESTS_COLLECTIVE_CALLS_H_
#define COX_TESTS_COLLECTIVE_CALLS_H_

#include <mpi.h>
#include <string.h>

/* Set by the program: room for `ranks` times the most bytes in each. */
static int ranks, rank;
static char* sent;
static char* received;

typedef void (*Call)(int bytes);

static void Allgather(int bytes) {
  MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void Allreduce(int bytes) {
  MPI_Allreduce(sent, received, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void Alltoall(int bytes) {
  MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void Bcast(int bytes) { MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void Gather(int bytes) {
  MPI_Gather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void Reduce(int bytes) {
  MPI_Reduce(sent, received, bytes / 4, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void Scatter(int bytes) {
  MPI_Scatter(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  Call call;
} kCollectives[] = {{"allgather", Allgather}, {"allreduce", Allreduce}, {"alltoall", Alltoall},
                    {"bcast", Bcast},         {"gather", Gather},       {"reduce", Reduce},
                    {"scatter", Scatter}};

/* Null if none has that name. */
static Call CallNamed(const char* name) {
  for (size_t i = 0; i < sizeof kCollectives / sizeof kCollectives[0]; ++i) {
    if (strcmp(kCollectives[i].name, name) == 0) return kCollectives[i].call;
  }
  return NULL;
}

/* Copies the next word of a comma-separated list; returns 0 at its end. */
static int Word(const char** list, char* word, size_t room) {
  const size_t length = strcspn(*list, ",");
  if (length == 0 || length >= room) return 0;
  memcpy(word, *list, length);
  word[length] = 0;
  *list += length + ((*list)[length] == ',');
  return 1;
}

#endif
