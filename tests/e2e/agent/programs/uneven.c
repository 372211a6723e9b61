/* Writes every rank's entry and leaving of every call when ranks arrive unevenly, and right after a
 * barrier. So any estimator of a collective's time can be compared with the truth.
 *
 * usage: uneven FILE CALLS BYTES OWN_US COLLECTIVE...
 *
 * For each collective: CALLS calls right after a barrier ("even"), then CALLS calls for each way to
 * be uneven, where each rank first sleeps for a time larger or smaller than the collective's own
 * (OWN_US microseconds; 0: as just measured). Rank 0 writes FILE:
 * collective,block_bytes,pattern,call,rank,enter_ns,leave_ns. All ranks must read the same
 * monotonic clock (one machine; namespaces do not matter). */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, block;
static char *in, *out;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_ns(double ns) {
  struct timespec time = {(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};
  if (ns > 0) nanosleep(&time, NULL);
}

/* A generator of its own per rank; in (0, 1). */
static double draw(void) {
  static uint64_t state;
  if (state == 0) state = 0x9e3779b97f4a7c15 * (uint64_t)(rank + 1);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static void allgather(void) {
  MPI_Allgather(in, block, MPI_BYTE, out, block, MPI_BYTE, MPI_COMM_WORLD);
}
static void allreduce(void) { MPI_Allreduce(in, out, block / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(void) {
  MPI_Alltoall(in, block, MPI_BYTE, out, block, MPI_BYTE, MPI_COMM_WORLD);
}
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(void) { MPI_Bcast(out, block, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void gather(void) {
  MPI_Gather(in, block, MPI_BYTE, out, block, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void reduce(void) { MPI_Reduce(in, out, block / 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); }
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(in, out, block / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(void) { MPI_Scan(in, out, block / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void scatter(void) {
  MPI_Scatter(in, block, MPI_BYTE, out, block, MPI_BYTE, 0, MPI_COMM_WORLD);
}

struct collective {
  const char* name;
  void (*call)(void);
};
static const struct collective kCollectives[] = {
    {"allgather", allgather}, {"allreduce", allreduce},
    {"alltoall", alltoall},   {"barrier", barrier},
    {"bcast", bcast},         {"gather", gather},
    {"reduce", reduce},       {"reduce_scatter_block", reduce_scatter_block},
    {"scan", scan},           {"scatter", scatter},
};

/* How long a rank computes before a call, as a multiple of the collective's own time. */
static double even(void) { return 0; }
static double slightly(void) { return -0.2 * log(draw()); }
static double evenly_random(void) { return 2 * draw(); }
static double heavily(void) { return -3 * log(draw()); }
/* Always the same ranks are late, and everybody varies a little. */
static double skewed(void) { return 2.0 * rank / size + 0.5 * draw(); }

struct pattern {
  const char* name;
  double (*delay)(void);
  int meets; /* a barrier before the delay, as an application's other collectives are one */
};
static const struct pattern kPatterns[] = {{"even", even, 1},
                                           {"exponential-0.2", slightly, 1},
                                           {"uniform-2", evenly_random, 1},
                                           {"exponential-3", heavily, 1},
                                           {"skewed", skewed, 1},
                                           {"drifting", evenly_random, 0}};

/* The calls' entries and leavings, entry first. (PMPI: an agent sees the measured calls only.) */
static void time_calls(const struct collective* what, const struct pattern* how, double own_ns,
                       int calls, int64_t* times) {
  for (int i = 0; i < calls; ++i) {
    if (how->meets) PMPI_Barrier(MPI_COMM_WORLD);
    sleep_ns(how->delay() * own_ns);
    times[2 * i] = now_ns();
    what->call();
    times[2 * i + 1] = now_ns();
  }
}

/* The collective's own time: the least from the last entry to the last leaving. */
static double own_time_ns(const int64_t* all, int calls) {
  double least = 1e18;
  for (int i = 0; i < calls; ++i) {
    int64_t enter = 0, leave = 0;
    for (int r = 0; r < size; ++r) {
      const int64_t* one = all + 2 * ((int64_t)r * calls + i);
      if (one[0] > enter) enter = one[0];
      if (one[1] > leave) leave = one[1];
    }
    if ((double)(leave - enter) < least) least = (double)(leave - enter);
  }
  return least;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int calls = argc > 5 ? atoi(argv[2]) : 0;
  block = argc > 5 ? atoi(argv[3]) : 0;
  const double said_ns = argc > 5 ? 1e3 * atof(argv[4]) : 0;
  if (calls < 1 || block < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  in = calloc((size_t)size, (size_t)block);
  out = calloc((size_t)size, (size_t)block);
  int64_t* times = calloc((size_t)calls, 2 * sizeof(int64_t));
  int64_t* all = calloc((size_t)calls * (size_t)size, 2 * sizeof(int64_t));
  FILE* file = rank == 0 ? fopen(argv[1], "a") : NULL;
  if (rank == 0 && file == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int a = 5; a < argc; ++a) {
    const struct collective* what = NULL;
    for (size_t i = 0; i < sizeof(kCollectives) / sizeof(*kCollectives); ++i) {
      if (strcmp(argv[a], kCollectives[i].name) == 0) what = &kCollectives[i];
    }
    if (what == NULL) MPI_Abort(MPI_COMM_WORLD, 4);
    double own_ns = 0;
    for (size_t p = 0; p < sizeof(kPatterns) / sizeof(*kPatterns); ++p) {
      time_calls(what, &kPatterns[p], own_ns, calls, times);
      PMPI_Gather(times, 2 * calls, MPI_INT64_T, all, 2 * calls, MPI_INT64_T, 0, MPI_COMM_WORLD);
      if (rank == 0 && p == 0) own_ns = said_ns > 0 ? said_ns : own_time_ns(all, calls);
      PMPI_Bcast(&own_ns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      for (int r = 0; rank == 0 && r < size; ++r) {
        for (int i = 0; i < calls; ++i) {
          const int64_t* one = all + 2 * ((int64_t)r * calls + i);
          fprintf(file, "%s,%d,%s,%d,%d,%lld,%lld\n", what->name, block, kPatterns[p].name, i, r,
                  (long long)one[0], (long long)one[1]);
        }
      }
    }
  }
  if (file != NULL) fclose(file);
  MPI_Finalize();
  return 0;
}
