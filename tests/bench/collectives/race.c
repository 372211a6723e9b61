/* Races ways of personalised communication against each other, from a common instant until the last
 * rank has ended:
 *
 *   race alltoall BYTES,... REPEATS SEED VARIANT...
 *   race many:DEGREE BYTES,... REPEATS SEED VARIANT...
 *   race gather BYTES,... REPEATS SEED VARIANT...
 *   race gather-least BYTES,... REPEATS SEED VARIANT...
 *   race overlap BYTES,... REPEATS SEED VARIANT...
 *
 * BYTES: for every rank; in a gather from every rank to rank 0; in a many-to-many for each of
 * DEGREE ranks that SEED chooses. An overlap is an alltoall with computation beside it.
 *
 * VARIANT: mpi (MPI_Alltoall, MPI_Alltoallv, MPI_Gather; for overlap MPI_Ialltoall), mpi-neighbor
 * (many only), cox:NAME (libcoxcoll with that algorithm) or cox: (its own choice). A line "PATTERN
 * BYTES VARIANT SECONDS" for each: the least of REPEATS times; for a gather the median, because
 * what a network loses is not noise; for overlap the processor time that the operation takes from
 * a rank's computation, the median of REPEATS, of the busiest rank. In each repeat the variants
 * come in another order. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cox/coll.h"
#include "together.h"

enum { kMostSizes = 32, kMostVariants = 16, kMostRepeats = 200, kSlices = 64 };

static int ranks, rank;
static char* sent;
static char* received;

/* Of a many-to-many: whom this rank sends to, and who sends to it. */
static int degree;
static int* destinations;
static int sources_count;
static int* sources;
static MPI_Comm neighbours = MPI_COMM_NULL;
static int *send_counts, *receive_counts, *displacements;

static void Check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "race: %s: %s\n", what, cox_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The algorithm of libcoxcoll; NULL: its own choice. */
static const char* OursOf(const char* variant) { return variant[4] ? variant + 4 : NULL; }
static int IsOurs(const char* variant) { return strncmp(variant, "cox:", 4) == 0; }

static void Alltoall(const char* variant, int bytes) {
  if (!IsOurs(variant)) {
    MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    return;
  }
  cox_request request;
  Check(cox_ialltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD,
                      OursOf(variant), &request),
        variant);
  Check(cox_wait(&request, NULL), variant);
}

static void Gather(const char* variant, int bytes) {
  if (!IsOurs(variant)) {
    MPI_Gather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return;
  }
  cox_request request;
  Check(cox_igather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD,
                    OursOf(variant), &request),
        variant);
  Check(cox_wait(&request, NULL), variant);
}

static void Many(const char* variant, int bytes) {
  if (strcmp(variant, "mpi-neighbor") == 0) {
    if (neighbours == MPI_COMM_NULL) {
      for (int i = 0; i < ranks; ++i) send_counts[i] = 1;
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources_count, sources, send_counts, degree,
                                     destinations, send_counts, MPI_INFO_NULL, 0, &neighbours);
    }
    for (int i = 0; i < ranks; ++i) receive_counts[i] = bytes;
    MPI_Neighbor_alltoallv(sent, receive_counts, displacements, MPI_BYTE, received, receive_counts,
                           displacements, MPI_BYTE, neighbours);
  } else if (!IsOurs(variant)) {
    for (int i = 0; i < ranks; ++i) send_counts[i] = receive_counts[i] = 0;
    for (int i = 0; i < degree; ++i) send_counts[destinations[i]] = bytes;
    for (int i = 0; i < sources_count; ++i) receive_counts[sources[i]] = bytes;
    MPI_Alltoallv(sent, send_counts, displacements, MPI_BYTE, received, receive_counts,
                  displacements, MPI_BYTE, MPI_COMM_WORLD);
  } else {
    cox_message messages[degree];
    for (int i = 0; i < degree; ++i) {
      messages[i] = (cox_message){destinations[i], bytes, sent + displacements[i]};
    }
    cox_request request;
    Check(cox_imany(messages, degree, MPI_COMM_WORLD, OursOf(variant), &request), variant);
    cox_message* arrived;
    int count;
    Check(cox_wait_many(&request, &arrived, &count, NULL), variant);
    if (count != sources_count) {
      fprintf(stderr, "race: %s: %d messages instead of %d\n", variant, count, sources_count);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    cox_free(arrived);
  }
}

static double Time(const char* pattern, const char* variant, int bytes) {
  const double start_s = EnterTogether(rank, ranks);
  if (strcmp(pattern, "alltoall") == 0) Alltoall(variant, bytes);
  if (strncmp(pattern, "gather", 6) == 0) Gather(variant, bytes);
  if (strncmp(pattern, "many", 4) == 0) Many(variant, bytes);
  return Largest(Now_s(), rank, ranks) - start_s;
}

static double ProcessorTime_s(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static volatile double burnt = 1;
static void Compute(void) {
  for (int i = 0; i < 20000; ++i) burnt = burnt * 1.0000001 + 1e-9;
}

/* Of the operation alone: what is computed beside it is the same with and without. */
static double Overlap(const char* variant, int bytes) {
  EnterTogether(rank, ranks);
  double computing_s = 0;
  const double begin_s = ProcessorTime_s();
  MPI_Request theirs = MPI_REQUEST_NULL;
  cox_request ours = COX_REQUEST_NULL;
  if (IsOurs(variant)) {
    Check(cox_ialltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD,
                        OursOf(variant), &ours),
          variant);
  } else {
    MPI_Ialltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD, &theirs);
  }
  int done = 0;
  for (int slice = 0; slice < kSlices || !done; ++slice) {
    const double before_s = ProcessorTime_s();
    Compute();
    computing_s += ProcessorTime_s() - before_s;
    if (done) continue;
    if (IsOurs(variant)) {
      Check(cox_test(&ours, &done, NULL), variant);
    } else {
      MPI_Test(&theirs, &done, MPI_STATUS_IGNORE);
    }
  }
  return Largest(ProcessorTime_s() - begin_s - computing_s, rank, ranks);
}

/* The same numbers on all ranks, also where ranks share one C library: below `end`. */
static unsigned long long state;
static int Random(int end) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned)end);
}

/* Everybody sends to `degree` others. */
static void ChooseDestinations(void) {
  destinations = calloc((size_t)ranks, sizeof(int));
  sources = calloc((size_t)ranks, sizeof(int));
  char* taken = malloc((size_t)ranks);
  for (int from = 0; from < ranks; ++from) {
    memset(taken, 0, (size_t)ranks);
    taken[from] = 1;
    for (int i = 0; i < degree;) {
      const int to = Random(ranks);
      if (taken[to]) continue;
      taken[to] = 1;
      if (from == rank) destinations[i] = to;
      if (to == rank) sources[sources_count++] = from;
      ++i;
    }
  }
  free(taken);
}

static int CompareDoubles(const void* a, const void* b) {
  const double left = *(const double*)a;
  const double right = *(const double*)b;
  return (left > right) - (left < right);
}

static void Shuffle(int* order, int count) {
  for (int i = count - 1; i > 0; --i) {
    const int other = Random(i + 1);
    const int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

static void Race(const char* pattern, int bytes, int repeats, char** variants, int count) {
  static double times[kMostVariants][kMostRepeats];
  int order[kMostVariants];
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = 0; i < ranks; ++i) displacements[i] = i * bytes;
  const int overlaps = strcmp(pattern, "overlap") == 0;
  const int by_median = overlaps || strcmp(pattern, "gather") == 0;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    Shuffle(order, count);
    for (int k = 0; k < count; ++k) {
      const char* variant = variants[order[k]];
      const double time_s = overlaps ? Overlap(variant, bytes) : Time(pattern, variant, bytes);
      if (repeat >= 0) times[order[k]][repeat] = time_s;
    }
  }
  for (int i = 0; rank == 0 && i < count; ++i) {
    qsort(times[i], (size_t)repeats, sizeof(double), CompareDoubles);
    printf("%s %d %s %.6g\n", pattern, bytes, variants[i], times[i][by_median ? repeats / 2 : 0]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int variants = argc - 5;
  const int repeats = argc > 5 ? atoi(argv[3]) : 0;
  if (repeats < 1 || repeats > kMostRepeats || variants > kMostVariants) {
    fprintf(stderr,
            "usage: race alltoall|many:DEGREE|gather|gather-least|overlap BYTES,... REPEATS SEED "
            "VARIANT...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  SleepExactly();
  state = (unsigned long long)atoi(argv[4]);
  int sizes[kMostSizes];
  int count = 0;
  int most = 1;
  for (char* size = strtok(argv[2], ","); size != NULL && count < kMostSizes;
       size = strtok(NULL, ",")) {
    sizes[count++] = atoi(size);
    if (sizes[count - 1] > most) most = sizes[count - 1];
  }
  sent = calloc((size_t)ranks, (size_t)most);
  received = calloc((size_t)ranks, (size_t)most);
  send_counts = calloc((size_t)ranks, sizeof(int));
  receive_counts = calloc((size_t)ranks, sizeof(int));
  displacements = calloc((size_t)ranks, sizeof(int));
  if (strncmp(argv[1], "many:", 5) == 0) {
    degree = atoi(argv[1] + 5);
    if (degree < 1 || degree >= ranks) {
      fprintf(stderr, "race: the degree is 1 to %d\n", ranks - 1);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    ChooseDestinations();
  }
  for (int i = 0; i < count; ++i) Race(argv[1], sizes[i], repeats, argv + 5, variants);
  if (neighbours != MPI_COMM_NULL) MPI_Comm_free(&neighbours);
  MPI_Finalize();
  return 0;
}
