#include "daemon/learning/guard_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace cox::daemon {
namespace {

constexpr int64_t kRevision = 4;
constexpr int64_t kLastId = 100;

// Of 1 KiB over the network.
domain::Withdrawal Withdrawn() {
  domain::Withdrawal withdrawal;
  withdrawal.revision = kRevision;
  withdrawal.last_id = kLastId;
  domain::ComparedCalls& calls = withdrawal.evidence.calls;
  calls.library = "openmpi-4.1";
  calls.collective = "bcast";
  calls.algorithm = "chain";
  calls.nodes = 4;
  calls.min_block_bytes = 1024;
  calls.max_block_bytes = 2047;
  return withdrawal;
}

// Of the whole network, after the withdrawal's evidence.
domain::Drift Drifted() {
  domain::Drift drift;
  drift.scope.level = domain::Level::kNetwork;
  drift.last_id = kLastId + 1;
  return drift;
}

bool HasEndedBy(const domain::Drift& drift) {
  const std::vector<domain::Drift> drifts = {drift};
  return HasEnded(Withdrawn(), drifts, kRevision);
}

TEST(HasEndedTest, WithoutAChangeItStays) { EXPECT_FALSE(HasEnded(Withdrawn(), {}, kRevision)); }

TEST(HasEndedTest, ByAProfileThatAPersonSetLater) {
  EXPECT_TRUE(HasEnded(Withdrawn(), {}, kRevision + 1));
}

TEST(HasEndedTest, ByALaterDriftOfItsCalls) {
  EXPECT_TRUE(HasEndedBy(Drifted()));
  domain::Drift earlier = Drifted();
  earlier.last_id = kLastId;
  EXPECT_FALSE(HasEndedBy(earlier));
}

TEST(HasEndedTest, NotByADriftOfOtherCalls) {
  domain::Drift drift = Drifted();
  drift.scope.level = domain::Level::kNode;
  EXPECT_FALSE(HasEndedBy(drift));
  drift = Drifted();
  drift.scope.library = "mpich-4.0";
  EXPECT_FALSE(HasEndedBy(drift));
  drift = Drifted();
  drift.scope.library = "openmpi-4.1";
  drift.scope.collective = "allreduce";
  EXPECT_FALSE(HasEndedBy(drift));
  drift.scope.collective = "bcast";
  EXPECT_TRUE(HasEndedBy(drift));
  drift.scope.min_block_bytes = 32768;
  EXPECT_FALSE(HasEndedBy(drift));
}

}  // namespace
}  // namespace cox::daemon
