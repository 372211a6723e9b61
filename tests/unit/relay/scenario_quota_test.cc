#include "relay/scenario_quota.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "principals.h"

namespace cox::relay {
namespace {

// One row of each size from `first` on.
v1::ReportObservationsRequest SizesFrom(int64_t first, int64_t count) {
  v1::ReportObservationsRequest report;
  for (int64_t i = 0; i < count; ++i) {
    v1::Observation* const row = report.add_observations();
    row->set_machine("m");
    row->set_block_bytes(first + i);
  }
  return report;
}

class ScenarioQuotaTest : public ::testing::Test {
 protected:
  bool MayReport(const v1::ReportObservationsRequest& report, const std::string& who = "token:a") {
    return scenarios_.Take(Of(who), report).ok();
  }

  // Ten scenarios an hour; the clock stands.
  access::Quotas quotas_{{0, 0, 0, 0, 0, 0, 10}, [] { return int64_t{1'000'000}; }};
  ScenarioQuota scenarios_{&quotas_};
};

TEST_F(ScenarioQuotaTest, AScenarioCountsAtItsFirstReport) {
  EXPECT_TRUE(MayReport(SizesFrom(0, 8)));
  EXPECT_TRUE(MayReport(SizesFrom(0, 8))) << "sent again";
  EXPECT_FALSE(MayReport(SizesFrom(6, 5))) << "three new ones";
  EXPECT_TRUE(MayReport(SizesFrom(6, 4))) << "what was refused took nothing";
  EXPECT_FALSE(MayReport(SizesFrom(10, 1)));
  EXPECT_TRUE(MayReport(SizesFrom(10, 1), "token:b"));
  EXPECT_TRUE(MayReport(SizesFrom(10, 1))) << "it is known by now";
  EXPECT_EQ(quotas_.refused_count(access::Quota::kScenarios), 2);
}

TEST_F(ScenarioQuotaTest, BenchmarksAndJobsDiffer) {
  v1::ReportObservationsRequest report = SizesFrom(0, 10);
  EXPECT_TRUE(MayReport(report));
  report.set_measurement(v1::MEASUREMENT_JOB);
  EXPECT_FALSE(MayReport(report));
}

TEST_F(ScenarioQuotaTest, ForgetsScenariosWhenThereAreTooMany) {
  ASSERT_TRUE(MayReport(SizesFrom(0, 5)));
  const access::Principal alice = Of("uid:0", access::Role::kOperator);
  const int64_t most = ScenarioQuota::kMaxScenarios;
  ASSERT_TRUE(scenarios_.Take(alice, SizesFrom(100, most)).ok()) << "operators have no quota";
  EXPECT_TRUE(MayReport(SizesFrom(0, 5))) << "the second of two";
  EXPECT_FALSE(MayReport(SizesFrom(5, 1)));
}

}  // namespace
}  // namespace cox::relay
