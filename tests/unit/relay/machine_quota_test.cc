#include "relay/machine_quota.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"
#include "principals.h"

namespace cox::relay {
namespace {

v1::ReportObservationsRequest ReportOf(std::initializer_list<std::string> machines) {
  v1::ReportObservationsRequest report;
  report.set_create_machines(true);
  for (const std::string& machine : machines) {
    for (int row = 0; row < 2; ++row) report.add_observations()->set_machine(machine);
  }
  return report;
}

class MachineQuotaTest : public ::testing::Test {
 protected:
  bool MayReport(const v1::ReportObservationsRequest& report, const std::string& who = "token:a") {
    return machines_.Take(Of(who), report).ok();
  }

  // Two machines a day; the clock stands.
  access::Quotas quotas_{{0, 2, 0, 0, 0, 0}, [] { return int64_t{1'000'000}; }};
  MachineQuota machines_{&quotas_};
};

TEST_F(MachineQuotaTest, ANameCountsAtItsFirstReport) {
  EXPECT_TRUE(MayReport(ReportOf({"m1"})));
  EXPECT_TRUE(MayReport(ReportOf({"m1"}))) << "sent again";
  EXPECT_TRUE(MayReport(ReportOf({"m2", "m1"})));
  EXPECT_FALSE(MayReport(ReportOf({"m1", "m3"})));
  EXPECT_TRUE(MayReport(ReportOf({"m3"}), "token:b"));
  EXPECT_TRUE(MayReport(ReportOf({"m1", "m3"}))) << "it is known by now";
  EXPECT_EQ(quotas_.refused_count(access::Quota::kMachines), 1);
}

TEST_F(MachineQuotaTest, OnlyReportsThatRegisterAndCallersWithQuotasCount) {
  v1::ReportObservationsRequest report = ReportOf({"m1", "m2", "m3"});
  report.set_create_machines(false);
  EXPECT_TRUE(MayReport(report));
  const access::Principal alice = Of("uid:0", access::Role::kOperator);
  EXPECT_TRUE(machines_.Take(alice, ReportOf({"n1", "n2", "n3"})).ok());
  EXPECT_TRUE(MayReport(ReportOf({"m1", "m2"})));
}

TEST_F(MachineQuotaTest, ForgetsNamesWhenThereAreTooMany) {
  ASSERT_TRUE(MayReport(ReportOf({"m1"})));
  const access::Principal alice = Of("uid:0", access::Role::kOperator);
  for (size_t i = 0; i < MachineQuota::kMaxNames; ++i) {
    ASSERT_TRUE(machines_.Take(alice, ReportOf({absl::StrCat("n", i)})).ok());
  }
  EXPECT_TRUE(MayReport(ReportOf({"m1"}))) << "the second of two";
  EXPECT_FALSE(MayReport(ReportOf({"m2"})));
}

}  // namespace
}  // namespace cox::relay
