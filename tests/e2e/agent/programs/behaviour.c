/* A small MPI program for behaviour other than results: durations, threads, child processes, and
 * abnormal ends.
 *
 * usage:
 *   behaviour loop CALLS           CALLS allreduces of 8 bytes, a millisecond apart
 *   behaviour random CALLS         the same, and then the next number of random()
 *   behaviour finalize FILE        three barriers; rank 0 writes MPI_Finalize's microseconds
 *   behaviour threads CALLS        two threads, each CALLS allreduces on a communicator of its own
 *   behaviour turns CALLS          two threads that take turns (MPI_THREAD_SERIALIZED), likewise
 *   behaviour fork CALLS           between two halves of CALLS allreduces: a child that exits, one
 *                                  that runs another program, and one that asks for the size
 *   behaviour abort                two barriers, then rank 1 aborts with status 9
 *   behaviour exit                 two barriers, then every rank ends without MPI_Finalize
 *   behaviour wait FILE            two barriers, creates FILE, then waits to be killed
 *   behaviour memory CALLS         CALLS allreduces and bcasts of 16 sizes over several intervals;
 *                                  each rank prints "memory RANK RESIDENT_KIB"
 *   behaviour communicators CALLS  CALLS communicators made, used and freed; twenty others
 *                                  live on
 *   behaviour mix SECONDS          eight collectives in turn, on two communicators, for SECONDS
 *   behaviour late SECONDS         three barriers; the last rank comes SECONDS late to the second,
 *                                  and says how long that and the third took: "waited S s"
 *   behaviour late_other SECONDS   the same on another communicator, after 399 barriers on it
 *   behaviour churn CALLS EACH     duplicates MPI_COMM_WORLD, calls EACH allreduces on it, frees
 *                                  it, CALLS times; rank 0 writes "growth KIB" to stderr: how
 *                                  much its resident memory grew after the first half */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static double allreduce(MPI_Comm comm, int calls, long pause_ms) {
  double sum = 0;
  for (int i = 0; i < calls; ++i) {
    double in = rank + i, out = 0;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
    sum += out;
    if (pause_ms > 0) sleep_ms(pause_ms);
  }
  return sum;
}

static void say(double sum) {
  if (rank == 0) {
    printf("sum %.17g\n", sum);
    fflush(stdout);
  }
}

struct share {
  MPI_Comm comm;
  int thread;
  int calls;
  double sum;
};

static void* run_thread(void* argument) {
  struct share* share = argument;
  share->sum = allreduce(share->comm, share->calls, 0);
  return NULL;
}

static void threads(int calls, void* (*run)(void*)) {
  struct share shares[2];
  pthread_t thread[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &shares[i].comm);
    shares[i].thread = i;
    shares[i].calls = calls;
    shares[i].sum = 0;
  }
  for (int i = 0; i < 2; ++i) pthread_create(&thread[i], NULL, run, &shares[i]);
  for (int i = 0; i < 2; ++i) pthread_join(thread[i], NULL);
  say(shares[0].sum + shares[1].sum);
}

/* The thread whose turn it is. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int thread;
} turn = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void* take_turns(void* argument) {
  struct share* share = argument;
  const int me = share->thread;
  for (int i = 0; i < share->calls; ++i) {
    pthread_mutex_lock(&turn.lock);
    while (turn.thread != me) pthread_cond_wait(&turn.changed, &turn.lock);
    int in = rank + i, out = 0;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, share->comm);
    share->sum += out;
    turn.thread = 1 - me;
    pthread_cond_broadcast(&turn.changed);
    pthread_mutex_unlock(&turn.lock);
  }
  return NULL;
}

static void fork_children(int calls) {
  double sum = allreduce(MPI_COMM_WORLD, calls / 2, 0);
  for (int kind = 0; kind < 3; ++kind) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
      if (kind == 0) exit(3);
      if (kind == 1) execlp("true", "true", (char*)NULL);
      int ranks = 0;
      MPI_Comm_size(MPI_COMM_WORLD, &ranks);
      _exit(ranks == size ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  }
  say(sum + allreduce(MPI_COMM_WORLD, calls - calls / 2, 0));
}

static long resident_kib(void) {
  long rss = 0;
  char line[256];
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "VmRSS: %ld", &rss) == 1) break;
  }
  if (file != NULL) fclose(file);
  return rss;
}

/* The same calls with and without the agent: what differs between two runs is the agent's. */
static void memory(int calls) {
  enum { kMost = 1 << 15 };
  static char buffer[kMost], result[kMost];
  memset(buffer, 1, sizeof(buffer));
  memset(result, 1, sizeof(result));
  for (int i = 0; i < calls; ++i) {
    for (int bytes = 1; bytes <= kMost; bytes *= 2) {
      MPI_Allreduce(buffer, result, bytes, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
      MPI_Bcast(result, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    sleep_ms(2);
  }
  printf("memory %d %ld\n", rank, resident_kib());
  fflush(stdout);
}

static void communicators(int calls) {
  enum { kKept = 20 };
  MPI_Comm kept[kKept], one;
  double sum = 0;
  for (int i = 0; i < kKept; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? rank % 2 : 0, -rank, &kept[i]);
  }
  for (int i = 0; i < calls; ++i) {
    if (i % 2 == 0) {
      MPI_Comm_dup(i % 4 == 0 ? MPI_COMM_WORLD : kept[i % kKept], &one);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, rank % (1 + i % 2), rank, &one);
    }
    sum += allreduce(one, 1 + i % 4, 0) + allreduce(kept[i % kKept], 6, 0);
    MPI_Comm_free(&one);
  }
  for (int i = 0; i < kKept; i += 2) MPI_Comm_free(&kept[i]);
  say(sum);
}

static void mix(int seconds) {
  enum { kMost = 64 };
  double in[kMost] = {1}, out[kMost];
  MPI_Comm comms[2] = {MPI_COMM_WORLD};
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  const double end_s = MPI_Wtime() + seconds;
  for (int goes_on = 1, i = 0; goes_on; ++i) {
    const MPI_Comm comm = comms[i % 2];
    MPI_Bcast(in, 8, MPI_DOUBLE, 0, comm);
    MPI_Allreduce(in, out, 8, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allgather(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, comm);
    MPI_Alltoall(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, comm);
    MPI_Reduce(in, out, 8, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Scan(in, out, 8, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Barrier(comm);
    goes_on = MPI_Wtime() < end_s;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, comm);
    MPI_Gather(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, 0, comm);
  }
  MPI_Comm_free(&comms[1]);
  say(0);
}

/* Non-blocking barriers come between: the agent's own must not meet them. */
static void late(MPI_Comm comm, int seconds) {
  MPI_Barrier(comm);
  if (rank == size - 1) sleep_ms(1000L * seconds);
  const double start_s = MPI_Wtime();
  MPI_Barrier(comm);
  for (int i = 0; i < 3; ++i) {
    double in = rank, out = -1;
    MPI_Request request;
    MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (out != size * (size - 1) / 2.) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Barrier(comm);
  if (rank == size - 1) {
    printf("waited %.3f s\n", MPI_Wtime() - start_s);
    fflush(stdout);
  }
}

static void late_other(int seconds) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 398; ++i) MPI_Barrier(comm);
  late(comm, seconds);
  MPI_Comm_free(&comm);
}

static void churn(int calls, int each) {
  double sum = 0;
  long before = 0;
  for (int i = 0; i < calls; ++i) {
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    sum += allreduce(one, each, 0);
    MPI_Comm_free(&one);
    if (i == calls / 2) before = resident_kib();
  }
  if (rank == 0) fprintf(stderr, "growth %ld\n", resident_kib() - before);
  say(sum);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  int provided, level = MPI_THREAD_SINGLE;
  if (strcmp(what, "threads") == 0) level = MPI_THREAD_MULTIPLE;
  if (strcmp(what, "turns") == 0) level = MPI_THREAD_SERIALIZED;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (strcmp(what, "loop") == 0) {
    say(allreduce(MPI_COMM_WORLD, number, 1));
  } else if (strcmp(what, "random") == 0) {
    srandom(1);
    const double sum = allreduce(MPI_COMM_WORLD, number, 1);
    say(sum + (double)random());
  } else if (strcmp(what, "threads") == 0) {
    threads(number, run_thread);
  } else if (strcmp(what, "turns") == 0) {
    threads(number, take_turns);
  } else if (strcmp(what, "fork") == 0) {
    fork_children(number);
  } else if (strcmp(what, "late") == 0) {
    late(MPI_COMM_WORLD, number);
  } else if (strcmp(what, "late_other") == 0) {
    late_other(number);
  } else if (strcmp(what, "churn") == 0) {
    churn(number, argc > 3 ? atoi(argv[3]) : 1);
  } else if (strcmp(what, "mix") == 0) {
    mix(number);
  } else if (strcmp(what, "communicators") == 0) {
    communicators(number);
  } else if (strcmp(what, "memory") == 0) {
    memory(number);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(what, "exit") == 0) {
      say(0);
      /* A launcher may kill the other ranks as soon as one has ended. */
      MPI_Barrier(MPI_COMM_WORLD);
      exit(0);
    }
    if (strcmp(what, "wait") == 0 && rank == 0) fclose(fopen(argv[2], "w"));
    if (strcmp(what, "abort") == 0 || strcmp(what, "wait") == 0) pause();
  }

  struct timespec before, after;
  if (strcmp(what, "finalize") == 0) MPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &before);
  MPI_Finalize();
  clock_gettime(CLOCK_MONOTONIC, &after);
  if (strcmp(what, "finalize") == 0 && rank == 0) {
    FILE* file = fopen(argv[2], "w");
    fprintf(file, "%.0f\n",
            (double)(after.tv_sec - before.tv_sec) * 1e6 +
                (double)(after.tv_nsec - before.tv_nsec) / 1e3);
    fclose(file);
  }
  return 0;
}
