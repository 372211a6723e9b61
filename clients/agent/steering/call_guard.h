// Guards one row of the decision table while a job runs. It compares canaries with their peers on
// MPI_COMM_WORLD, and says when the chosen algorithm is slower than the library's default.
//
// A timing is the longest time of all ranks. The ranks exchange their times after 6, 8, 9 and 10
// pairs, then after each tenth up to 100; after that only coxd watches. The number of calls decides
// when to exchange, and the maxima decide the result, so all ranks decide alike. If both algorithms
// take equally long, chance alone says which of a pair is the slower one. Test and tolerance are
// those of coxd's guard (server/learn/worth/canary_guard.h). An error costs only the rest of one
// job, so more errors are allowed here. A job withdraws at most a share kError of the algorithms
// that are not slower. A withdrawal takes at least six pairs: with canaries of 5 % 120 calls.
//
// An exchange may fail on some ranks only. These ranks say so at the next exchange, and from then
// on no rank withdraws this row. Only if the exchange that decides is the one that fails, the ranks
// decide differently.
//
// Zeros are a valid start. Pure; one thread. Cannot fail.
#ifndef COX_AGENT_STEERING_CALL_GUARD_H_
#define COX_AGENT_STEERING_CALL_GUARD_H_

#include <cstddef>
#include <cstdint>

#include "domain/canary_arm.h"
#include "domain/sign_test.h"

namespace cox::agent {

class CallGuard {
 public:
  static constexpr int kMostPending = 10;  // pairs between two exchanges
  static constexpr int kValues = 2 * kMostPending + 1;
  static constexpr uint32_t kMostPairs = 100;
  static constexpr double kTolerance = 1.03;
  static constexpr double kError = 0.05;

  // This rank's time of a call of the present block.
  void Add(domain::CanaryArm arm, uint64_t time_ns) {
    if (pending_ >= kMostPending || arm == domain::CanaryArm::kTuned) return;
    const int place = static_cast<int>(pending_) * 2;
    own_[place + (arm == domain::CanaryArm::kPeer ? 1 : 0)] = static_cast<double>(time_ns);
  }

  // Call when a block of calls has ended. Whether the ranks must exchange own() now.
  bool EndBlock() {
    if (pairs_ >= kMostPairs) return false;
    ++pending_;
    ++pairs_;
    return pairs_ % kMostPending == 0 || pairs_ == 6 || pairs_ == 8 || pairs_ == 9;
  }

  // kValues numbers: times in nanoseconds, 0 where this rank has none; then 1 if an exchange failed
  // here.
  const double* own() const { return own_; }

  // Takes the maxima of own() over all ranks. Whether the algorithm is shown to be slower.
  bool Judge(const double* greatest) {
    if (greatest[kFailed] > 0) {
      pairs_ = kMostPairs;
      Forget();
      return false;
    }
    for (size_t i = 0; i < pending_; ++i) {
      const double canary_ns = greatest[2 * i];
      const double peer_ns = greatest[2 * i + 1];
      if (canary_ns <= 0 || peer_ns <= 0) continue;
      ++(peer_ns > kTolerance * canary_ns ? slower_ : others_);
    }
    Forget();
    domain::SignTest test;
    for (uint32_t i = 0; i < slower_; ++i) test.Add(true);
    for (uint32_t i = 0; i < others_; ++i) test.Add(false);
    return test.IsSlower(kError);
  }

  // The exchange failed on this rank. It still exchanges when the others do.
  void Fail() {
    Forget();
    own_[kFailed] = 1;
  }

  uint32_t slower_count() const { return slower_; }
  uint32_t pair_count() const { return slower_ + others_; }

 private:
  static constexpr int kFailed = kValues - 1;

  void Forget() {
    pending_ = 0;
    for (int i = 0; i < kFailed; ++i) own_[i] = 0;
  }

  double own_[kValues];  // canary and peer of each pending pair; kFailed
  uint32_t pending_;
  uint32_t pairs_;
  uint32_t slower_;
  uint32_t others_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_CALL_GUARD_H_
