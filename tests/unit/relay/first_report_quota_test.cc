#include "relay/first_report_quota.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"
#include "access/principal.h"

namespace cox::relay {
namespace {

// Somebody with a token.
access::Principal Of(const std::string& name, access::Role role = access::Role::kReporter) {
  access::Principal principal;
  principal.kind = access::Principal::Kind::kToken;
  principal.name = name;
  principal.role = role;
  return principal;
}

v1::ReportObservationsRequest ReportOf(std::initializer_list<std::string> machines) {
  v1::ReportObservationsRequest report;
  report.set_create_machines(true);
  for (const std::string& machine : machines) {
    for (int row = 0; row < 2; ++row) report.add_observations()->set_machine(machine);
  }
  return report;
}

class MachinesToRegisterTest : public ::testing::Test {
 protected:
  bool MayReport(const v1::ReportObservationsRequest& report, const std::string& who = "token:a") {
    return machines_.Take(Of(who), report).ok();
  }

  // Two machines a day; the clock stands.
  access::Quotas quotas_{{0, 2, 0, 0, 0, 0}, [] { return int64_t{1'000'000}; }};
  FirstReportQuota machines_{FirstReportQuota::kMachines, &quotas_};
};

TEST_F(MachinesToRegisterTest, ANameCountsAtItsFirstReport) {
  EXPECT_TRUE(MayReport(ReportOf({"m1"})));
  EXPECT_TRUE(MayReport(ReportOf({"m1"}))) << "sent again";
  EXPECT_TRUE(MayReport(ReportOf({"m2", "m1"})));
  EXPECT_FALSE(MayReport(ReportOf({"m1", "m3"})));
  EXPECT_TRUE(MayReport(ReportOf({"m3"}), "token:b"));
  EXPECT_TRUE(MayReport(ReportOf({"m1", "m3"}))) << "it is known by now";
  EXPECT_EQ(quotas_.refused_count(access::Quota::kMachines), 1);
}

TEST_F(MachinesToRegisterTest, OnlyReportsThatRegisterAndCallersWithQuotasCount) {
  v1::ReportObservationsRequest report = ReportOf({"m1", "m2", "m3"});
  report.set_create_machines(false);
  EXPECT_TRUE(MayReport(report));
  const access::Principal alice = Of("uid:0", access::Role::kOperator);
  EXPECT_TRUE(machines_.Take(alice, ReportOf({"n1", "n2", "n3"})).ok());
  EXPECT_TRUE(MayReport(ReportOf({"m1", "m2"})));
}

TEST_F(MachinesToRegisterTest, ForgetsNamesWhenThereAreTooMany) {
  ASSERT_TRUE(MayReport(ReportOf({"m1"})));
  const access::Principal alice = Of("uid:0", access::Role::kOperator);
  for (size_t i = 0; i < FirstReportQuota::kMachines.most_names; ++i) {
    ASSERT_TRUE(machines_.Take(alice, ReportOf({absl::StrCat("n", i)})).ok());
  }
  EXPECT_TRUE(MayReport(ReportOf({"m1"}))) << "the second of two";
  EXPECT_FALSE(MayReport(ReportOf({"m2"})));
}

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

class NewScenariosTest : public ::testing::Test {
 protected:
  bool MayReport(const v1::ReportObservationsRequest& report, const std::string& who = "token:a") {
    return scenarios_.Take(Of(who), report).ok();
  }

  // Ten scenarios an hour; the clock stands.
  access::Quotas quotas_{{0, 0, 0, 0, 0, 0, 10}, [] { return int64_t{1'000'000}; }};
  FirstReportQuota scenarios_{FirstReportQuota::kScenarios, &quotas_};
};

TEST_F(NewScenariosTest, AScenarioCountsAtItsFirstReport) {
  EXPECT_TRUE(MayReport(SizesFrom(0, 8)));
  EXPECT_TRUE(MayReport(SizesFrom(0, 8))) << "sent again";
  EXPECT_FALSE(MayReport(SizesFrom(6, 5))) << "three new ones";
  EXPECT_TRUE(MayReport(SizesFrom(6, 4))) << "what was refused took nothing";
  EXPECT_FALSE(MayReport(SizesFrom(10, 1)));
  EXPECT_TRUE(MayReport(SizesFrom(10, 1), "token:b"));
  EXPECT_TRUE(MayReport(SizesFrom(10, 1))) << "it is known by now";
  EXPECT_EQ(quotas_.refused_count(access::Quota::kScenarios), 2);
}

TEST_F(NewScenariosTest, BenchmarksAndJobsDiffer) {
  v1::ReportObservationsRequest report = SizesFrom(0, 10);
  EXPECT_TRUE(MayReport(report));
  report.set_measurement(v1::MEASUREMENT_JOB);
  EXPECT_FALSE(MayReport(report));
}

TEST_F(NewScenariosTest, ForgetsScenariosWhenThereAreTooMany) {
  ASSERT_TRUE(MayReport(SizesFrom(0, 5)));
  const access::Principal alice = Of("uid:0", access::Role::kOperator);
  const auto most = static_cast<int64_t>(FirstReportQuota::kScenarios.most_names);
  ASSERT_TRUE(scenarios_.Take(alice, SizesFrom(100, most)).ok()) << "operators have no quota";
  EXPECT_TRUE(MayReport(SizesFrom(0, 5))) << "the second of two";
  EXPECT_FALSE(MayReport(SizesFrom(5, 1)));
}

}  // namespace
}  // namespace cox::relay
