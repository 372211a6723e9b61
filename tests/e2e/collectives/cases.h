// Random operations of libcoxcoll, several at once, in groups of 1 rank up to all. Each result is
// compared with that of MPI's own function.
#ifndef COX_TESTS_E2E_COLLECTIVES_CASES_H_
#define COX_TESTS_E2E_COLLECTIVES_CASES_H_

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cox/coll.h"
#include "datatypes.h"
#include "job.h"

namespace cox::test {

using Memory = std::vector<unsigned char>;

inline const char* Pick(Random& random, const char* const* names, size_t count) {
  return names[static_cast<size_t>(Draw(random, 0, static_cast<int>(count) - 1))];
}

// One operation: started, then checked.
class Case {
 public:
  virtual ~Case() = default;
  virtual int Start(MPI_Comm comm) = 0;
  virtual bool IsRight(MPI_Comm comm) = 0;

  cox_request request = COX_REQUEST_NULL;
  std::string name;
  // For a many-to-many; IsRight() frees what arrived.
  bool is_many = false;
  cox_message* received = nullptr;
  int count = 0;
};

// Draws the next case. All ranks draw the same, except for the contents of buffers.
using DrawOne = std::unique_ptr<Case> (*)(Random& random, const Datatypes& datatypes, int ranks,
                                          int rank);

// Completes in all ways.
inline void Complete(Random& random, std::vector<std::unique_ptr<Case>>& cases) {
  const bool tests = Draw(random, 0, 1) == 0;
  for (const auto& one : cases) {
    cox_cost cost = {-1, -1};
    int code = MPI_SUCCESS;
    int done = 0;
    while (tests && done == 0 && code == MPI_SUCCESS) {
      code = cox_test(&one->request, &done, &cost);
      if (done == 0) sched_yield();
    }
    if (one->is_many && code == MPI_SUCCESS) {
      code = cox_wait_many(&one->request, &one->received, &one->count, &cost);
    } else if (!tests) {
      code = cox_wait(&one->request, &cost);
    }
    if (code != MPI_SUCCESS) Mismatch(one->name + ": " + cox_error());
    if (one->request != COX_REQUEST_NULL) Mismatch(one->name + ": the request is still there");
    if (cost.completion_s <= 0 || cost.cpu_s < 0) Mismatch(one->name + ": no cost");
  }
}

inline void RunGroup(MPI_Comm comm, int ranks, int cases, uint64_t seed, const Datatypes& datatypes,
                     DrawOne draw) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Random random(Mix(seed, static_cast<uint64_t>(ranks)));
  for (int done = 0; done < cases;) {
    std::vector<std::unique_ptr<Case>> at_once;
    for (int i = Draw(random, 1, 4); i > 0 && done < cases; --i, ++done) {
      at_once.push_back(draw(random, datatypes, ranks, rank));
    }
    for (const auto& one : at_once) {
      one->name += " p=" + std::to_string(ranks) + " case " + std::to_string(done);
      if (one->Start(comm) != MPI_SUCCESS) Mismatch(one->name + ": " + cox_error());
    }
    Complete(random, at_once);
    for (const auto& one : at_once) {
      if (!one->IsRight(comm)) Mismatch(one->name);
    }
  }
}

// The whole program: PROGRAM CASES_PER_GROUP SEED.
inline int RunCases(int argc, char** argv, DrawOne draw) {
  MPI_Init(&argc, &argv);
  const int cases = argc > 1 ? std::atoi(argv[1]) : 10;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  {
    const Datatypes datatypes;
    ForEachGroup(
        [&](MPI_Comm comm, int ranks) { RunGroup(comm, ranks, cases, seed, datatypes, draw); });
  }
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0)
    std::printf("%d cases right, seed %llu\n", cases * ranks, (unsigned long long)seed);
  MPI_Finalize();
  return 0;
}

}  // namespace cox::test

#endif  // COX_TESTS_E2E_COLLECTIVES_CASES_H_
