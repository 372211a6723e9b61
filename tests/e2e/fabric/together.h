/* Times what all ranks do from a common instant, on nodes that share one clock. */
#ifndef COX_TESTS_TOGETHER_H_
#define COX_TESTS_TOGETHER_H_

#include <mpi.h>
#include <sys/prctl.h>
#include <time.h>

/* Longer than it takes to tell all ranks of it, and for what the last call left in the queues to
 * drain. */
static const double kAhead_s = 0.004;

/* Makes timers end on time. */
static void SleepExactly(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

static double Now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct timespec TimeOf(double time_s) {
  const time_t seconds = (time_t)time_s;
  return (struct timespec){seconds, (long)(1e9 * (time_s - (double)seconds))};
}

static void SleepUntil(double instant_s) {
#ifdef SMPI_HELPERS_H
  /* Simulated time has no absolute timers, and nobody comes between. */
  struct timespec left = TimeOf(instant_s - Now_s());
  nanosleep(&left, &left);
#else
  const struct timespec instant = TimeOf(instant_s);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, NULL);
#endif
}

/* From rank 0 to all and back, in messages of its own: the collectives may be forced to anything.
 */
static double AgreeOnStart(int rank, int ranks) {
  double start_s = Now_s() + kAhead_s;
  for (int other = 1; rank == 0 && other < ranks; ++other) {
    MPI_Send(&start_s, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
  }
  if (rank > 0) MPI_Recv(&start_s, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return start_s;
}

/* On rank 0: the largest of all ranks' values. */
static double Largest(double value, int rank, int ranks) {
  double largest = value;
  if (rank > 0) MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  for (int other = 1; rank == 0 && other < ranks; ++other) {
    MPI_Recv(&value, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (value > largest) largest = value;
  }
  return largest;
}

/* The instant at which all ranks continue together. */
static double EnterTogether(int rank, int ranks) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = AgreeOnStart(rank, ranks);
  SleepUntil(start_s);
  return start_s;
}

#endif
