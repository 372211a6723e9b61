// cox_ialltoall, cox_ialltoallv and cox_imany with random sizes, types and algorithms, several at
// once, against what MPI's own functions give, bit for bit.
//
//   personalised CASES_PER_GROUP SEED
#include <memory>
#include <string>

#include "cases.h"
#include "cox/coll.h"
#include "datatypes.h"
#include "job.h"

namespace cox::test {
namespace {

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

}  // namespace
}  // namespace cox::test

int main(int argc, char** argv) { return cox::test::RunCases(argc, argv, cox::test::DrawCase); }
