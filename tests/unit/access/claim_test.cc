#include "access/claim.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace cox::access {
namespace {

Principal PrincipalOf(const std::string& name, Role role, const std::string& job = "") {
  Principal principal;
  principal.kind = Principal::Kind::kToken;
  principal.name = name;
  principal.role = role;
  principal.job = job;
  return principal;
}

TEST(Claim, AReportersJobsAndSourceAreItsOwn) {
  const auto claim = ClaimOf(PrincipalOf("uid:1000", Role::kReporter), "4711", "uid:0");
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(claim->job, "uid:1000/4711");
  EXPECT_EQ(claim->source, "uid:1000");
}

TEST(Claim, TwoReportersCannotMeet) {
  const std::string victim = ClaimOf(PrincipalOf("uid:1000", Role::kReporter), "4711", "")->job;
  for (const char* job : {"4711", "uid:1000/4711", "/4711", "../uid:1000/4711"}) {
    EXPECT_NE(ClaimOf(PrincipalOf("uid:1001", Role::kReporter), job, "")->job, victim) << job;
  }
}

TEST(Claim, AReportWithoutAJobHasNone) {
  const auto claim = ClaimOf(PrincipalOf("uid:1000", Role::kReporter), "", "");
  ASSERT_TRUE(claim.ok());
  EXPECT_EQ(claim->job, "");
  EXPECT_EQ(claim->source, "uid:1000");
}

TEST(Claim, AnOperatorsWordsCountAsTheyAre) {
  const auto claim = ClaimOf(PrincipalOf("uid:0", Role::kOperator), "4711", "history.csv");
  ASSERT_TRUE(claim.ok());
  EXPECT_EQ(claim->job, "4711");
  EXPECT_EQ(claim->source, "history.csv");
}

TEST(Claim, AnOperatorsTokenForAJobReportsForThatJobOnly) {
  const Principal principal = PrincipalOf("token:step", Role::kOperator, "4711");
  EXPECT_EQ(ClaimOf(principal, "", "history.csv")->job, "4711");
  EXPECT_EQ(ClaimOf(principal, "4711", "history.csv")->job, "4711");
  EXPECT_EQ(ClaimOf(principal, "", "history.csv")->source, "history.csv");
  EXPECT_EQ(ClaimOf(principal, "4712", "").status().code(), absl::StatusCode::kPermissionDenied);
}

TEST(Claim, AJobsTokenReportsForThatJobOnly) {
  const Principal principal = PrincipalOf("token:step", Role::kReporter, "4711");
  EXPECT_EQ(ClaimOf(principal, "4711", "")->job, "token:step/4711");
  EXPECT_EQ(ClaimOf(principal, "", "")->job, "token:step/4711");
  EXPECT_EQ(ClaimOf(principal, "4711@node1", "")->job, "token:step/4711@node1");
  EXPECT_EQ(ClaimOf(principal, "47110@node1", "").status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ClaimOf(principal, "4712", "").status().code(), absl::StatusCode::kPermissionDenied);
}

TEST(Claim, ACredentialOfAJobReportsUnderTheNameOfThatJob) {
  Principal principal = PrincipalOf("uid:1000", Role::kReporter, "slurm-4711");
  principal.kind = Principal::Kind::kJob;
  const std::pair<const char*, const char*> cases[] = {
      {"", "slurm-4711"},
      {"slurm-4711", "slurm-4711"},
      {"slurm-4711.0@node1", "slurm-4711.0@node1"},
      {"slurm-4711@node1", "slurm-4711@node1"},
      {"slurm-47110.0", "slurm-4711.slurm-47110.0"},
      {"slurm-4712.0", "slurm-4711.slurm-4712.0"},
      {"mine", "slurm-4711.mine"},
  };
  for (const auto& [stated, stored] : cases) {
    const auto claim = ClaimOf(principal, stated, "uid:0");
    ASSERT_TRUE(claim.ok()) << claim.status();
    EXPECT_EQ(claim->job, std::string("uid:1000/") + stored);
    EXPECT_EQ(claim->source, "uid:1000");
  }
}

TEST(Claim, OnesOwnNamesAreKnown) {
  const Principal ada = PrincipalOf("uid:1000", Role::kReporter);
  EXPECT_TRUE(IsOwnJob(ada, "uid:1000/4711"));
  EXPECT_FALSE(IsOwnJob(ada, "uid:10001/4711"));
  EXPECT_FALSE(IsOwnJob(ada, "4711"));
  EXPECT_FALSE(IsOwnJob(ada, ""));
  EXPECT_TRUE(IsOwnSource(ada, "uid:1000"));
  EXPECT_FALSE(IsOwnSource(ada, "uid:1001"));
  EXPECT_FALSE(IsOwnJob(Principal(), "anonymous/4711")) << "anybody is anonymous";
}

// A relay with a reporter's token puts the names of its users behind its own.
TEST(Claim, JobsOfARelaysUsersAreNotItsOwn) {
  const Principal relay = PrincipalOf("token:login1", Role::kReporter);
  EXPECT_TRUE(IsOwnJob(relay, "token:login1/4711"));
  for (const char* job : {"uid:1000/4711", "token:ci/4711", "cert:node1/4711", "slurm:ada/4711",
                          "anonymous/4711", "uid:1000"}) {
    EXPECT_FALSE(IsOwnJob(relay, absl::StrCat("token:login1/", job))) << job;
  }
  EXPECT_TRUE(IsOwnJob(relay, "token:login1/anonymous-run")) << "a job's own name";
}

TEST(Claim, AReporterAsksForItsOwnJobs) {
  const Principal reporter = PrincipalOf("uid:1000", Role::kReporter);
  EXPECT_EQ(JobMeant(reporter, "4711"), "uid:1000/4711");
  EXPECT_EQ(JobMeant(reporter, "uid:1001/4711"), "uid:1001/4711");
  EXPECT_EQ(JobMeant(reporter, ""), "");
  EXPECT_EQ(JobMeant(PrincipalOf("uid:0", Role::kAdmin), "4711"), "4711");
}

}  // namespace
}  // namespace cox::access
