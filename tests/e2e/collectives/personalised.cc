// cox_ialltoall, cox_ialltoallv and cox_imany with random sizes, types and algorithms, several at
// once, against what MPI's own functions give, bit for bit.
//
//   personalised CASES_PER_GROUP SEED
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cox/coll.h"
#include "datatypes.h"
#include "job.h"

namespace cox::test {
namespace {

using Memory = std::vector<unsigned char>;

constexpr const char* kAlltoall[] = {"direct",
                                     "windowed",
                                     "windowed?window=1",
                                     "windowed?window=3",
                                     "pairwise",
                                     "bruck",
                                     "mesh2d",
                                     "grid3d",
                                     "hypercube",
                                     nullptr};

const char* Pick(Random& random, const char* const* names, size_t count) {
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
};

class AlltoallCase final : public Case {
 public:
  AlltoallCase(Random& random, const Datatypes& datatypes, int ranks, int rank)
      : pair_(datatypes.Pick(random)),
        units_(Draw(random, 0, 3) == 0 ? 0 : Draw(random, 1, 40)),
        algorithm_(Pick(random, kAlltoall, std::size(kAlltoall))),
        is_in_place_(Draw(random, 0, 4) == 0) {
    const uint64_t seed = random();
    sent_ = Filled(pair_[0].type, int64_t{ranks} * units_ * pair_[0].count, Mix(seed, rank));
    received_ = Filled(pair_[1].type, int64_t{ranks} * units_ * pair_[1].count,
                       Mix(seed, rank, is_in_place_ ? 1 : 2));
    expected_ = received_;
    name = std::string("alltoall ") + (algorithm_ == nullptr ? "NULL" : algorithm_) + " " +
           pair_[0].name + " to " + pair_[1].name + " x " + std::to_string(units_) +
           (is_in_place_ ? " in place" : "");
  }

  int Start(MPI_Comm comm) override {
    return cox_ialltoall(is_in_place_ ? MPI_IN_PLACE : sent_.data(), units_ * pair_[0].count,
                         pair_[0].type, received_.data(), units_ * pair_[1].count, pair_[1].type,
                         comm, algorithm_, &request);
  }

  bool IsRight(MPI_Comm comm) override {
    MPI_Request reference;
    MPI_Ialltoall(is_in_place_ ? MPI_IN_PLACE : sent_.data(), units_ * pair_[0].count,
                  pair_[0].type, expected_.data(), units_ * pair_[1].count, pair_[1].type, comm,
                  &reference);
    WaitFor(&reference);
    return received_ == expected_;
  }

 private:
  std::array<Element, 2> pair_;
  int units_;
  const char* algorithm_;
  bool is_in_place_;
  Memory sent_, received_, expected_;
};

std::unique_ptr<Case> DrawCase(Random& random, const Datatypes& datatypes, int ranks, int rank) {
  return std::make_unique<AlltoallCase>(random, datatypes, ranks, rank);
}

// By all the ways to complete.
void Complete(Random& random, std::vector<std::unique_ptr<Case>>& cases) {
  const bool tests = Draw(random, 0, 1) == 0;
  for (const auto& one : cases) {
    cox_cost cost = {-1, -1};
    int code = MPI_SUCCESS;
    int done = 0;
    while (tests && done == 0 && code == MPI_SUCCESS) code = cox_test(&one->request, &done, &cost);
    if (!tests) code = cox_wait(&one->request, &cost);
    if (code != MPI_SUCCESS) Mismatch(one->name + ": " + cox_error());
    if (one->request != COX_REQUEST_NULL) Mismatch(one->name + ": the request is still there");
    if (cost.completion_s <= 0 || cost.cpu_s < 0) Mismatch(one->name + ": no cost");
  }
}

void RunGroup(MPI_Comm comm, int ranks, int cases, uint64_t seed, const Datatypes& datatypes) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Random random(Mix(seed, static_cast<uint64_t>(ranks)));
  for (int done = 0; done < cases;) {
    std::vector<std::unique_ptr<Case>> at_once;
    for (int i = Draw(random, 1, 4); i > 0 && done < cases; --i, ++done) {
      at_once.push_back(DrawCase(random, datatypes, ranks, rank));
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

}  // namespace
}  // namespace cox::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int cases = argc > 1 ? std::atoi(argv[1]) : 10;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  {
    const cox::test::Datatypes datatypes;
    cox::test::ForEachGroup([&](MPI_Comm comm, int ranks) {
      cox::test::RunGroup(comm, ranks, cases, seed, datatypes);
    });
  }
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0)
    std::printf("%d cases right, seed %llu\n", cases * ranks, (unsigned long long)seed);
  MPI_Finalize();
  return 0;
}
