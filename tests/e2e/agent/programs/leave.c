/* Error handlers that leave a collective by a jump, on one rank alone, as C++ programs do by an
 * exception. Then calls of many kinds, on all ranks. Rank 0 prints a line that depends on all
 * results, and how often the last rank has jumped.
 *
 * usage: leave ROUNDS */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 64, kFewer = 8, kLarge = 4096 };

static int rank, size, jumps;
static jmp_buf before;

static void jump(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  (void)error;
  longjmp(before, 1);
}

/* The last rank has room for a part only. */
static int room(void) { return rank == size - 1 ? kFewer : kBytes; }

static void leave_a_bcast(MPI_Comm comm) {
  char data[kBytes] = {0};
  if (setjmp(before) == 0) {
    MPI_Bcast(data, room(), MPI_BYTE, 0, comm);
  } else {
    ++jumps;
  }
}

static void leave_a_scatterv(MPI_Comm comm) {
  static char all[64 * kBytes];
  static int counts[64], offsets[64];
  char own[kBytes];
  for (int i = 0; i < size; ++i) {
    counts[i] = kBytes;
    offsets[i] = i * kBytes;
  }
  if (setjmp(before) == 0) {
    MPI_Scatterv(all, counts, offsets, MPI_BYTE, own, room(), MPI_BYTE, 0, comm);
  } else {
    ++jumps;
  }
}

/* What the ranks get from one another, added up. */
static long work(MPI_Comm comm, int round) {
  static char data[kLarge], all[64 * kLarge];
  long sum = 0;
  for (int bytes = 16; bytes <= kLarge; bytes *= 16) {
    memset(data, rank == 0 ? round % 50 + 1 : 0, (size_t)bytes);
    MPI_Bcast(data, bytes, MPI_BYTE, 0, comm);
    sum += data[bytes - 1];
    memset(data, rank + 1, (size_t)bytes);
    MPI_Allgather(data, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
    for (int i = 0; i < size; ++i) sum += all[i * bytes];
    int in[kLarge / 16], out[kLarge / 16];
    for (int i = 0; i < bytes / 16; ++i) in[i] = rank + i;
    MPI_Allreduce(in, out, bytes / 16, MPI_INT, MPI_SUM, comm);
    sum += out[bytes / 16 - 1];
  }
  MPI_Barrier(comm);
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Errhandler handler;
  MPI_Comm other;
  volatile long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (volatile int i = 0; i < rounds; ++i) {
    leave_a_scatterv(MPI_COMM_WORLD);
    sum += work(MPI_COMM_WORLD, i);
    leave_a_bcast(MPI_COMM_WORLD);
    /* Libraries use their own collectives for that. */
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    sum += work(other, i);
    MPI_Comm_free(&other);
  }
  MPI_Errhandler now;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  const int is_there = now == handler;
  long own[3] = {sum, rank == size - 1 ? jumps : 0, is_there}, total[3];
  MPI_Reduce(own, total, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %ld jumps %ld handlers %ld\n", total[0], total[1], total[2]);
  MPI_Finalize();
  return 0;
}
