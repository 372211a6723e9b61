/* What the agent sketches: patterns.c CALLS REST_MS
 * [alltoallv|neighbour|graph|crowd|messages|sendrecv|one|alternate|reused]...
 *
 * Each rank sends 1000 bytes to the next rank of a ring and 3000 to the one before it, CALLS times;
 * crowd, one, alternate and reused say what they send instead.
 * Rank 0 prints the sum of what all ranks received, which does not depend on the agent. Then all
 * ranks rest, so that the agent need not send everything in MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TO_NEXT = 1000, TO_PREVIOUS = 3000 };

static int rank, ranks, next, previous;
static char out[TO_NEXT + TO_PREVIOUS], in[TO_NEXT + TO_PREVIOUS];

static void rest(int ms) {
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&pause, NULL);
}

static void alltoallv(void) {
  int *sent = calloc(ranks, sizeof(int)), *sent_at = calloc(ranks, sizeof(int));
  int *got = calloc(ranks, sizeof(int)), *got_at = calloc(ranks, sizeof(int));
  sent[next] = got[previous] = TO_NEXT;
  sent[previous] = got[next] = TO_PREVIOUS;
  sent_at[previous] = got_at[next] = TO_NEXT;
  MPI_Alltoallv(out, sent, sent_at, MPI_CHAR, in, got, got_at, MPI_CHAR, MPI_COMM_WORLD);
  free(sent), free(sent_at), free(got), free(got_at);
}

/* A ring as a grid of one dimension, whose neighbours are the lower one and the higher one. */
static void neighbour(void) {
  static MPI_Comm ring = MPI_COMM_NULL;
  int periodic = 1;
  if (ring == MPI_COMM_NULL) MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  int sent[] = {TO_PREVIOUS, TO_NEXT}, sent_at[] = {TO_NEXT, 0};
  int got[] = {TO_NEXT, TO_PREVIOUS}, got_at[] = {0, TO_NEXT};
  MPI_Neighbor_alltoallv(out, sent, sent_at, MPI_CHAR, in, got, got_at, MPI_CHAR, ring);
}

/* The same as a graph, without blocking. */
static void graph(void) {
  static MPI_Comm ring = MPI_COMM_NULL;
  int sources[] = {previous, next}, destinations[] = {next, previous}, weights[] = {1, 1};
  if (ring == MPI_COMM_NULL) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, weights,
                                   MPI_INFO_NULL, 0, &ring);
  }
  int sent[] = {TO_NEXT, TO_PREVIOUS}, sent_at[] = {0, TO_NEXT};
  int got[] = {TO_NEXT, TO_PREVIOUS}, got_at[] = {0, TO_NEXT};
  MPI_Request request;
  MPI_Ineighbor_alltoallv(out, sent, sent_at, MPI_CHAR, in, got, got_at, MPI_CHAR, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A graph of more neighbours than the agent asks for: 600 times the next rank. */
static void crowd(void) {
  enum { MOST = 600 };
  static MPI_Comm many = MPI_COMM_NULL;
  if (many == MPI_COMM_NULL) {
    int sources[MOST], destinations[MOST], weights[MOST];
    for (int i = 0; i < MOST; ++i) {
      sources[i] = previous, destinations[i] = next, weights[i] = 1;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, MOST, sources, weights, MOST, destinations,
                                   weights, MPI_INFO_NULL, 0, &many);
  }
  MPI_Neighbor_allgather(out, 1, MPI_CHAR, in, 1, MPI_CHAR, many);
}

static void messages(void) {
  MPI_Request request[4];
  MPI_Status status[4];
  MPI_Irecv(in, TO_NEXT, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(in + TO_NEXT, TO_PREVIOUS, MPI_CHAR, next, 2, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(out, TO_NEXT, MPI_CHAR, next, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(out + TO_NEXT, TO_PREVIOUS, MPI_CHAR, previous, 2, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, status);
}

/* Without a wait for several requests: a new round begins with the first destination. */
static void sendrecv(void) {
  MPI_Sendrecv(out, TO_NEXT, MPI_CHAR, next, 1, in, TO_NEXT, MPI_CHAR, previous, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(out + TO_NEXT, TO_PREVIOUS, MPI_CHAR, previous, 2, in + TO_NEXT, TO_PREVIOUS,
               MPI_CHAR, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 sends 1200 messages to rank 1, which answers nothing. */
static void one(void) {
  for (int i = 0; i < 1200; ++i) {
    if (rank == 0) MPI_Send(out, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* A message to the next rank, then a neighbour collective. */
static void alternate(void) {
  MPI_Sendrecv(out, TO_NEXT, MPI_CHAR, next, 1, in, TO_NEXT, MPI_CHAR, previous, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  neighbour();
}

static void send_from(MPI_Comm comm, int from, int to) {
  MPI_Request request;
  MPI_Irecv(in, TO_NEXT, MPI_CHAR, from, 1, comm, &request);
  MPI_Send(out, TO_NEXT, MPI_CHAR, to, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* One message between two ranks, then one to each of all other ranks. The second communicator may
 * get the handle of the first. */
static void reused(void) {
  MPI_Comm pair, all;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  send_from(pair, 1 - rank % 2, 1 - rank % 2);
  MPI_Comm_free(&pair);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &all);
  for (int i = 1; i < ranks; ++i) send_from(all, (rank + ranks - i) % ranks, (rank + i) % ranks);
  MPI_Comm_free(&all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  previous = (rank + ranks - 1) % ranks;
  const int calls = atoi(argv[1]);
  memset(out, rank + 1, sizeof(out));
  long long sum = 0;
  for (int i = 3; i < argc; ++i) {
    for (int call = 0; call < calls; ++call) {
      rest(2); /* the work between two phases */
      if (strcmp(argv[i], "alltoallv") == 0) alltoallv();
      if (strcmp(argv[i], "neighbour") == 0) neighbour();
      if (strcmp(argv[i], "graph") == 0) graph();
      if (strcmp(argv[i], "crowd") == 0) crowd();
      if (strcmp(argv[i], "messages") == 0) messages();
      if (strcmp(argv[i], "sendrecv") == 0) sendrecv();
      if (strcmp(argv[i], "one") == 0) one();
      if (strcmp(argv[i], "alternate") == 0) alternate();
      if (strcmp(argv[i], "reused") == 0) reused();
      for (size_t k = 0; k < sizeof(in); ++k) sum += in[k];
    }
  }
  long long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%lld\n", total);
  rest(atoi(argv[2]));
  MPI_Finalize();
  return 0;
}
