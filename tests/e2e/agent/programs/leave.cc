// Error handlers that leave a collective by a jump or by an exception, on one rank alone; the same
// while a communicator is freed. Then calls of many kinds, on all ranks. Rank 0 prints a line that
// depends on all results, and how often the last rank has left a call.
//
// usage: leave jump|throw ROUNDS
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 64, kFewer = 8, kLarge = 4096, kOften = 50 };

static int rank, size, left;
static bool throws;
static jmp_buf before;

static void leave(MPI_Comm*, int* error, ...) {
  if (throws) throw *error;
  longjmp(before, 1);
}

// Makes a call that may be left.
template <typename Call>
static void make(Call call) {
  if (throws) {
    try {
      call();
    } catch (int) {
      ++left;
    }
  } else if (setjmp(before) == 0) {
    call();
  } else {
    ++left;
  }
}

// The last rank has room for a part only.
static int room(void) { return rank == size - 1 ? kFewer : kBytes; }

static void leave_a_bcast(MPI_Comm comm) {
  static char data[kBytes];
  make([comm] { MPI_Bcast(data, room(), MPI_BYTE, 0, comm); });
}

static void leave_a_scatterv(MPI_Comm comm) {
  static char all[64 * kBytes];
  static int counts[64], offsets[64];
  static char own[kBytes];
  for (int i = 0; i < size; ++i) {
    counts[i] = kBytes;
    offsets[i] = i * kBytes;
  }
  make([comm] { MPI_Scatterv(all, counts, offsets, MPI_BYTE, own, room(), MPI_BYTE, 0, comm); });
}

// Returns the sum of what the ranks receive from each other.
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

// What a deleted attribute does.
enum Deletion { kLeaves, kRefuses };
static Deletion deletion;
static bool is_armed;

static int at_deletion(MPI_Comm, int, void*, void*) {
  if (!is_armed) return MPI_SUCCESS;
  is_armed = false;
  if (deletion == kRefuses) return MPI_ERR_OTHER;
  if (throws) throw 1;
  longjmp(before, 1);
}

// A communicator whose attribute the last rank leaves by; the other ranks free it.
static long leave_a_free(MPI_Errhandler handler, int key, Deletion way) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  // MPICH reports what the oldest attribute says.
  MPI_Comm_set_attr(other, key, &key);
  long sum = work(other, 1);
  MPI_Comm_set_errhandler(other, rank == size - 1 ? handler : MPI_ERRORS_RETURN);
  deletion = way;
  is_armed = way == kRefuses || rank == size - 1;
  make([&other] { MPI_Comm_free(&other); });
  // All ranks still have it.
  if (way == kRefuses) {
    for (int i = 0; i < kOften; ++i) sum += work(other, i);
    MPI_Comm_free(&other);
  }
  return sum;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  throws = strcmp(argv[1], "throw") == 0;
  const int rounds = atoi(argv[2]);
  MPI_Errhandler handler;
  MPI_Comm other;
  long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_deletion, &key, NULL);
  sum += leave_a_free(handler, key, kRefuses);
  sum += leave_a_free(handler, key, kLeaves);
  for (int i = 0; i < rounds; ++i) {
    leave_a_scatterv(MPI_COMM_WORLD);
    sum += work(MPI_COMM_WORLD, i);
    leave_a_bcast(MPI_COMM_WORLD);
    // Libraries use their own collectives for that.
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    sum += work(other, i);
    MPI_Comm_free(&other);
  }
  MPI_Errhandler now;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  const long is_there = now == handler ? 1 : 0;
  long own[3] = {sum, rank == size - 1 ? left : 0, is_there}, total[3];
  MPI_Reduce(own, total, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %ld left %ld handlers %ld\n", total[0], total[1], total[2]);
  MPI_Finalize();
  return 0;
}
