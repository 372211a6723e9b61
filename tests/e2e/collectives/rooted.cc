// Compares cox_iscatter, cox_igather and cox_ibcast with MPI's own functions, bit for bit: random
// roots, sizes, types and algorithms, several at once.
//
//   rooted CASES_PER_GROUP SEED
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cases.h"
#include "cox/coll.h"
#include "datatypes.h"
#include "job.h"

namespace cox::test {
namespace {

bool Any(int) { return true; }
bool IsSquare(int ranks) { return ranks == 1 || ranks == 4 || ranks == 9 || ranks == 16; }
bool IsFourthPower(int ranks) { return ranks == 1 || ranks == 16; }
bool IsPowerOfTwo(int ranks) { return (ranks & (ranks - 1)) == 0; }

struct Algorithm {
  const char* name;
  bool (*takes)(int ranks);
};
constexpr Algorithm kScatter[] = {{"linear", Any},
                                  {"binomial", Any},
                                  {"2-lev-rec", IsSquare},
                                  {"3-lev-sq", IsFourthPower},
                                  {"logp-lev-sq", IsPowerOfTwo},
                                  {nullptr, Any}};
constexpr Algorithm kGather[] = {{"linear", Any},
                                 {"binomial", Any},
                                 {"2-lev-rec", IsSquare},
                                 {"3-lev-sq", IsFourthPower},
                                 {"logp-lev-sq", IsPowerOfTwo},
                                 {"windowed", Any},
                                 {"windowed?window=1", Any},
                                 {"windowed?window=4", Any},
                                 {"windowed?window=100", Any},
                                 {"windowed?window=9223372036854775807", Any},
                                 {nullptr, Any}};
constexpr Algorithm kBcast[] = {{"binomial", Any},
                                {"postal", Any},
                                {"postal?latency=2", Any},
                                {"postal?latency=3", Any},
                                {"postal?latency=1000000000", Any},
                                {nullptr, Any}};

template <size_t kCount>
const char* PickFor(Random& random, const Algorithm (&algorithms)[kCount], int ranks) {
  std::vector<const char*> names;
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.takes(ranks)) names.push_back(algorithm.name);
  }
  return Pick(random, names.data(), names.size());
}

// What all three operations draw.
class RootedCase : public Case {
 public:
  RootedCase(const char* what, const char* algorithm, Random& random, const Datatypes& datatypes,
             int ranks, int rank)
      : algorithm_(algorithm),
        pair_(datatypes.Pick(random)),
        units_(Draw(random, 0, 3) == 0 ? 0 : Draw(random, 1, 40)),
        root_(Draw(random, 0, ranks - 1)),
        is_in_place_(Draw(random, 0, 2) == 0 && rank == root_),
        seed_(random()) {
    name = std::string(what) + " " + (algorithm == nullptr ? "NULL" : algorithm) + " root " +
           std::to_string(root_) + " " + pair_[0].name + " to " + pair_[1].name + " x " +
           std::to_string(units_) + (is_in_place_ ? " in place" : "");
  }

  bool IsRight(MPI_Comm comm) override {
    MPI_Request reference;
    StartReference(comm, &reference);
    WaitFor(&reference);
    return received_ == expected_;
  }

 protected:
  virtual void StartReference(MPI_Comm comm, MPI_Request* reference) = 0;

  int SendCount() const { return units_ * pair_[0].count; }
  int ReceiveCount() const { return units_ * pair_[1].count; }
  MPI_Datatype SendType() const { return pair_[0].type; }
  MPI_Datatype ReceiveType() const { return pair_[1].type; }

  const char* algorithm_;
  std::array<Element, 2> pair_;
  int units_;
  int root_;
  bool is_in_place_;
  uint64_t seed_;
  Memory sent_, received_, expected_;
};

class ScatterCase final : public RootedCase {
 public:
  ScatterCase(Random& random, const Datatypes& datatypes, int ranks, int rank)
      : RootedCase("scatter", PickFor(random, kScatter, ranks), random, datatypes, ranks, rank) {
    if (rank == root_) sent_ = Filled(SendType(), int64_t{ranks} * SendCount(), seed_);
    received_ = expected_ = Filled(ReceiveType(), ReceiveCount(), Mix(seed_, 1));
  }

  int Start(MPI_Comm comm) override {
    return cox_iscatter(sent_.data(), SendCount(), SendType(), Into(received_), ReceiveCount(),
                        ReceiveType(), root_, comm, algorithm_, &request);
  }

 private:
  void* Into(Memory& memory) { return is_in_place_ ? MPI_IN_PLACE : memory.data(); }

  void StartReference(MPI_Comm comm, MPI_Request* reference) override {
    MPI_Iscatter(sent_.data(), SendCount(), SendType(), Into(expected_), ReceiveCount(),
                 ReceiveType(), root_, comm, reference);
  }
};

class GatherCase final : public RootedCase {
 public:
  GatherCase(Random& random, const Datatypes& datatypes, int ranks, int rank)
      : RootedCase("gather", PickFor(random, kGather, ranks), random, datatypes, ranks, rank) {
    sent_ = Filled(SendType(), SendCount(), Mix(seed_, static_cast<uint64_t>(rank)));
    if (rank == root_) {
      received_ = expected_ = Filled(ReceiveType(), int64_t{ranks} * ReceiveCount(), seed_);
    }
  }

  int Start(MPI_Comm comm) override {
    return cox_igather(From(), SendCount(), SendType(), received_.data(), ReceiveCount(),
                       ReceiveType(), root_, comm, algorithm_, &request);
  }

 private:
  const void* From() const { return is_in_place_ ? MPI_IN_PLACE : sent_.data(); }

  void StartReference(MPI_Comm comm, MPI_Request* reference) override {
    MPI_Igather(From(), SendCount(), SendType(), expected_.data(), ReceiveCount(), ReceiveType(),
                root_, comm, reference);
  }
};

class BcastCase final : public RootedCase {
 public:
  BcastCase(Random& random, const Datatypes& datatypes, int ranks, int rank)
      : RootedCase("bcast", PickFor(random, kBcast, ranks), random, datatypes, ranks, rank),
        of_(pair_[rank == root_ ? 0 : 1]) {
    received_ = expected_ =
        Filled(of_.type, int64_t{units_} * of_.count, Mix(seed_, static_cast<uint64_t>(rank)));
  }

  int Start(MPI_Comm comm) override {
    return cox_ibcast(received_.data(), units_ * of_.count, of_.type, root_, comm, algorithm_,
                      &request);
  }

 private:
  void StartReference(MPI_Comm comm, MPI_Request* reference) override {
    MPI_Ibcast(expected_.data(), units_ * of_.count, of_.type, root_, comm, reference);
  }

  Element of_;
};

std::unique_ptr<Case> DrawCase(Random& random, const Datatypes& datatypes, int ranks, int rank) {
  switch (Draw(random, 0, 2)) {
    case 0:
      return std::make_unique<ScatterCase>(random, datatypes, ranks, rank);
    case 1:
      return std::make_unique<GatherCase>(random, datatypes, ranks, rank);
    default:
      return std::make_unique<BcastCase>(random, datatypes, ranks, rank);
  }
}

}  // namespace
}  // namespace cox::test

int main(int argc, char** argv) { return cox::test::RunCases(argc, argv, cox::test::DrawCase); }
