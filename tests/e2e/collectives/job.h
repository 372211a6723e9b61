// Shared code of libcoxcoll's test programs: groups of 1 to 17 ranks of one job, numbers that are
// the same on all ranks, and messages about failures.
#ifndef COX_TESTS_E2E_COLLECTIVES_JOB_H_
#define COX_TESTS_E2E_COLLECTIVES_JOB_H_

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace cox::test {

using Random = std::mt19937_64;

// From least to most, both included. The same on all platforms, unlike
// std::uniform_int_distribution.
inline int Draw(Random& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<uint64_t>(most - least + 1));
}

// A number that depends on all of these.
inline uint64_t Mix(uint64_t a, uint64_t b, uint64_t c = 0) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b * 0xBF58476D1CE4E5B9u + c * 0x94D049BB133111EBu;
  x ^= x >> 31;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

// Waits without keeping a processor from other ranks, because there are more ranks than processors.
inline void WaitFor(MPI_Request* request) {
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE), done == 0) sched_yield();
}

// Ends the job: the first mismatch is the useful one.
[[noreturn]] inline void Mismatch(const std::string& what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "MISMATCH on rank %d: %s\n", rank, what.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// Calls run(comm, p) for p = 1, 2, ... with the first p ranks of the job; the other ranks wait.
template <typename Run>
void ForEachGroup(const Run& run) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int p = 1; p <= ranks; ++p) {
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, rank, &group);
    if (group != MPI_COMM_NULL) {
      run(group, p);
      MPI_Comm_free(&group);
    }
    MPI_Request together;
    MPI_Ibarrier(MPI_COMM_WORLD, &together);
    int done = 0;
    while (MPI_Test(&together, &done, MPI_STATUS_IGNORE), done == 0) usleep(500);
  }
}

}  // namespace cox::test

#endif  // COX_TESTS_E2E_COLLECTIVES_JOB_H_
