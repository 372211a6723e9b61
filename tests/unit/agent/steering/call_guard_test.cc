#include "agent/steering/call_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "agent/steering/canaries.h"
#include "domain/canary_arm.h"

namespace cox::agent {
namespace {

using domain::CanaryArm;

// A job of some ranks that makes one call over and over.
class Job {
 public:
  Job(int ranks, double factor, unsigned seed)
      : factor_(factor), random_(seed), guards_(static_cast<size_t>(ranks)) {
    canaries_.Start(0.05, seed);
  }

  // Makes `calls` calls; the number of the one before which the algorithm was withdrawn, else 0.
  int Run(int calls) {
    CanaryTurn turn = {};
    for (int call = 1; call <= calls; ++call) {
      bool is_slower = false;
      if (turn.is_between_blocks()) {
        int due = 0;
        for (CallGuard& guard : guards_) due += guard.EndBlock() ? 1 : 0;
        // All ranks exchange, or none.
        EXPECT_TRUE(due == 0 || due == static_cast<int>(guards_.size()));
        if (due > 0) is_slower = Exchange();
      }
      if (is_slower) return call;
      const CanaryArm arm = canaries_.Take(0, &turn);
      const double time_ns =
          1e5 * (arm == CanaryArm::kCanary ? 1 : factor_) * std::exp(0.2 * normal_(random_));
      spent_ns += time_ns;
      for (CallGuard& guard : guards_) {
        const double late = std::exp(0.1 * normal_(random_));
        guard.Add(arm, static_cast<uint64_t>(time_ns * late));
      }
    }
    return 0;
  }

  double spent_ns = 0;
  int exchanges = 0;

 private:
  bool Exchange() {
    ++exchanges;
    std::vector<double> greatest(CallGuard::kValues);
    for (const CallGuard& guard : guards_) {
      for (int i = 0; i < CallGuard::kValues; ++i) {
        greatest[i] = std::max(greatest[i], guard.own()[i]);
      }
    }
    int slower = 0;
    for (CallGuard& guard : guards_) slower += guard.Judge(greatest.data()) ? 1 : 0;
    EXPECT_TRUE(slower == 0 || slower == static_cast<int>(guards_.size()));
    return slower > 0;
  }

  const double factor_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  Canaries canaries_;
  std::vector<CallGuard> guards_;
};

TEST(CallGuardTest, WhatIsTwiceAsSlowIsWithdrawnWithin200Calls) {
  int within = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const int at = Job(16, 2, seed).Run(2000);
    EXPECT_GT(at, 0);
    within += at > 0 && at <= 201 ? 1 : 0;
  }
  EXPECT_GE(within, 170);
}

// The harm is the time beyond the default's. A job of a minute makes hundreds of thousands of
// calls.
TEST(CallGuardTest, TheHarmIsBelowOnePercentOfALongJob) {
  double harm_ns = 0;
  double total_ns = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Job job(8, 2, seed);
    constexpr int kCalls = 50'000;
    const int at = job.Run(kCalls);
    ASSERT_GT(at, 0);
    harm_ns += job.spent_ns / 2;
    total_ns += job.spent_ns + 1e5 * (kCalls - at);
  }
  EXPECT_LT(harm_ns, 0.01 * total_ns);
}

TEST(CallGuardTest, WhatIsNotSlowerIsRarelyWithdrawn) {
  int withdrawn = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    withdrawn += Job(4, CallGuard::kTolerance, 7000 + seed).Run(2100) > 0 ? 1 : 0;
  }
  // 50 are allowed on average.
  EXPECT_LE(withdrawn, 70);
  for (unsigned seed = 0; seed < 100; ++seed) EXPECT_EQ(Job(4, 0.7, seed).Run(2100), 0);
}

// Each exchange costs a small collective operation.
TEST(CallGuardTest, RanksExchangeRarelyAndStop) {
  Job job(2, 0.9, 1);
  job.Run(2000);
  EXPECT_EQ(job.exchanges, 12);
  job.Run(100'000);
  EXPECT_LE(job.exchanges, 13);
}

TEST(CallGuardTest, CallsThatNoRankSeesAsAWholeCountForNothing) {
  CallGuard guard = {};
  double nothing[CallGuard::kValues] = {};
  for (int block = 0; block < 100; ++block) {
    if (guard.EndBlock()) {
      EXPECT_FALSE(guard.Judge(nothing));
    }
  }
  EXPECT_EQ(guard.pair_count(), 0);
}

// An exchange may fail on one rank only. It exchanges once more with the others, and then no rank
// decides anything.
TEST(CallGuardTest, AfterAFailedExchangeNoRankWithdraws) {
  std::vector<CallGuard> guards(2);
  std::vector<int> exchanges(2);
  for (int block = 0; block < 200; ++block) {
    std::vector<bool> is_due;
    for (CallGuard& guard : guards) {
      guard.Add(CanaryArm::kCanary, 1'000);
      guard.Add(CanaryArm::kPeer, exchanges[0] == 0 ? 1'000 : 2'000);
      is_due.push_back(guard.EndBlock());
    }
    ASSERT_EQ(is_due[0], is_due[1]) << block;
    if (!is_due[0]) continue;
    std::vector<double> greatest(CallGuard::kValues);
    for (size_t rank = 0; rank < guards.size(); ++rank) {
      ++exchanges[rank];
      for (int i = 0; i < CallGuard::kValues; ++i) {
        greatest[i] = std::max(greatest[i], guards[rank].own()[i]);
      }
    }
    if (exchanges[0] == 1) {
      guards[0].Fail();
    } else {
      EXPECT_FALSE(guards[0].Judge(greatest.data()));
    }
    EXPECT_FALSE(guards[1].Judge(greatest.data()));
  }
  EXPECT_EQ(exchanges[0], 2);
  EXPECT_EQ(guards[0].pair_count(), 0);
}

}  // namespace
}  // namespace cox::agent
