/* The collectives that libcoxcoll can run, with everything that MPI allows in them: all roots, in
 * place, types with holes, types with addresses in MPI_BOTTOM, other types on the root, arguments
 * that are not significant. Every rank checks what it gets, byte by byte;
 * rank 0 prints a line per communicator. Sizes are around 64 and 4096 bytes.
 *
 * usage: replaced */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kHole = 3, kMostInts = 1024, kMostRanks = 16 };

static int rank, size, wrong;

/* What rank `from` has for rank `to` at place i. */
static int word(int from, int to, int i) { return from * 1000003 + to * 1009 + i; }

/* `count` ints, each followed by a hole. */
static MPI_Datatype with_holes(void) {
  MPI_Datatype one, spaced;
  MPI_Type_contiguous(1, MPI_INT, &one);
  MPI_Type_create_resized(one, 0, kHole * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Type_free(&one);
  return spaced;
}

/* `count` ints that lie at `at`, wherever the buffer is. */
static MPI_Datatype at_address(const int* at, int count) {
  MPI_Aint address;
  MPI_Get_address(at, &address);
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &count, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void check(const int* got, int stride, int from, int to, int count) {
  for (int i = 0; i < count; ++i) wrong += got[i * stride] != word(from, to, i);
  for (int i = 0; stride > 1 && i < count; ++i) wrong += got[i * stride + 1] != -7;
}

static int *in, *out;

static void fill(int stride, int count) {
  for (int i = 0; i < kHole * kMostInts * kMostRanks; ++i) in[i] = out[i] = -7;
  for (int to = 0; to < size; ++to) {
    for (int i = 0; i < count; ++i) in[(to * count + i) * stride] = word(rank, to, i);
  }
}

static void exchange(MPI_Comm comm, int count, MPI_Datatype spaced) {
  fill(1, count);
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
  for (int from = 0; from < size; ++from) check(out + from * count, 1, from, rank, count);
  fill(kHole, count);
  MPI_Alltoall(in, count, spaced, out, count, spaced, comm);
  for (int from = 0; from < size; ++from)
    check(out + from * count * kHole, kHole, from, rank, count);
  fill(1, count);
  MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, count, MPI_INT, comm);
  for (int from = 0; from < size; ++from) check(in + from * count, 1, from, rank, count);
}

static void spread(MPI_Comm comm, int root, int count, MPI_Datatype spaced) {
  const int here = rank == root;
  /* Other types on the root than elsewhere; addresses on one rank alone. */
  fill(1, count);
  MPI_Datatype all = at_address(here ? in : out, count);
  if (rank % 2 == 0) {
    MPI_Bcast(MPI_BOTTOM, 1, all, root, comm);
  } else {
    MPI_Bcast(here ? in : out, count, MPI_INT, root, comm);
  }
  MPI_Type_free(&all);
  check(here ? in : out, 1, root, 0, count);

  fill(1, count);
  MPI_Scatter(here ? in : NULL, here ? count : -1, here ? MPI_INT : MPI_DATATYPE_NULL, out, count,
              spaced, root, comm);
  check(out, kHole, root, rank, count);
  fill(1, count);
  if (here) {
    MPI_Scatter(in, count, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, comm);
    check(in + rank * count, 1, root, rank, count);
  } else {
    MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, out, count, MPI_INT, root, comm);
    check(out, 1, root, rank, count);
  }
}

static void collect(MPI_Comm comm, int root, int count, MPI_Datatype spaced) {
  const int here = rank == root;
  fill(1, count);
  MPI_Datatype mine = at_address(in, count);
  MPI_Gather(MPI_BOTTOM, 1, mine, here ? out : NULL, here ? count : -1,
             here ? spaced : MPI_DATATYPE_NULL, root, comm);
  MPI_Type_free(&mine);
  for (int from = 0; here && from < size; ++from) {
    check(out + from * count * kHole, kHole, from, 0, count);
  }
  fill(1, count);
  memcpy(out + rank * count, in, (size_t)count * sizeof(int));
  if (here) {
    MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, out, count, MPI_INT, root, comm);
  } else {
    MPI_Gather(in, count, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, comm);
  }
  for (int from = 0; here && from < size; ++from) check(out + from * count, 1, from, 0, count);
}

static void all_of(const char* name, MPI_Comm comm, int repeats) {
  MPI_Datatype spaced = with_holes();
  const int counts[] = {16, 17, kMostInts, 0, 1};
  for (int k = 0; k < repeats; ++k) {
    for (int c = 0; c < 5; ++c) {
      exchange(comm, counts[c], spaced);
      /* One element of no bytes is not the same to Open MPI as no element. */
      for (int root = 0; counts[c] > 0 && root < size; ++root) {
        spread(comm, root, counts[c], spaced);
        collect(comm, root, counts[c], spaced);
      }
    }
  }
  MPI_Type_free(&spaced);
  int sum = 0;
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0) printf("%s: %d wrong\n", name, sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 1);
  in = malloc(kHole * kMostInts * kMostRanks * sizeof(int));
  out = malloc(kHole * kMostInts * kMostRanks * sizeof(int));
  all_of("world", MPI_COMM_WORLD, 2);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    all_of("duplicate", other, 4);
    MPI_Comm_free(&other);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return wrong != 0;
}
