#include "access/policy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/match.h"

namespace cox::access {
namespace {

constexpr uid_t kNobodyWeKnow = 123'456;

Policy Parsed(absl::string_view roles, absl::string_view anonymous_role = "none") {
  const absl::StatusOr<Policy> policy = ParsePolicy(roles, anonymous_role);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return policy.value_or(Policy());
}

TEST(Policy, RootAndTheDaemonsUserAreAdministrators) {
  const Policy policy = Parsed("none");
  EXPECT_EQ(policy.OfUser(0, {}), Role::kAdmin);
  EXPECT_EQ(policy.OfUser(geteuid(), {}), Role::kAdmin);
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow, {}), Role::kReporter);
  EXPECT_EQ(policy.OfCertificate("node1"), Role::kNone);
  EXPECT_EQ(policy.anonymous, Role::kNone);
}

TEST(Policy, AUsersEntryBeatsItsGroupsWhichBeatTheOthers) {
  const Policy policy = Parsed("123456=viewer, @77=operator, @78=admin, *=none");
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow, std::vector<gid_t>{78}), Role::kViewer);
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow + 1, std::vector<gid_t>{5, 77}), Role::kOperator);
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow + 1, std::vector<gid_t>{78, 77}), Role::kAdmin);
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow + 1, std::vector<gid_t>{5}), Role::kNone);
}

TEST(Policy, AGroupCountsAlsoIfTheProcessHasLeftIt) {
  Policy policy = Parsed("@77=none, *=reporter");
  policy.member_users = {{kNobodyWeKnow, Role::kNone}};
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow, {}), Role::kNone);
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow + 1, {}), Role::kReporter);
}

TEST(Policy, NobodyIsNamedTwiceByNameAndByNumber) {
  for (const char* roles : {"daemon=none,1=admin", "@daemon=none, @1=admin"}) {
    EXPECT_EQ(ParsePolicy(roles, "none").status().code(), absl::StatusCode::kInvalidArgument)
        << roles;
  }
  EXPECT_EQ(Parsed("root=viewer, 1=operator, @1=admin").OfUser(1, {}), Role::kOperator);
}

TEST(Policy, NamesOfUsersAndGroupsAreLookedUp) {
  const Policy policy = Parsed("root=viewer,@root=operator");
  EXPECT_EQ(policy.OfUser(0, {}), Role::kViewer);
  EXPECT_EQ(policy.OfUser(kNobodyWeKnow, std::vector<gid_t>{0}), Role::kOperator);
  EXPECT_EQ(ParsePolicy("no-such-user-here=admin", "none").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ParsePolicy("@no-such-group-here=admin", "none").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Policy, SlurmNamesUsers) {
  const Policy policy = Parsed("root=viewer,1=operator,*=admin");
  EXPECT_EQ(policy.OfSlurmUser("root", {}), Role::kViewer);
  EXPECT_EQ(policy.OfSlurmUser("daemon", {}), Role::kOperator) << "user 1 by its name";
  EXPECT_EQ(policy.OfSlurmUser("ada", {}), Role::kReporter) << "at most, without an entry";
  EXPECT_EQ(Parsed("none").OfSlurmUser("root", {}), Role::kReporter) << "no entry either";
  EXPECT_EQ(Parsed("*=none").OfSlurmUser("ada", {}), Role::kNone);
}

TEST(Policy, SlurmsUsersHaveTheRolesOfTheirGroups) {
  Policy policy = Parsed("root=viewer,*=reporter");
  policy.group_members = {{"ada", Role::kNone}, {"root", Role::kAdmin}};
  EXPECT_EQ(policy.OfSlurmUser("ada", {}), Role::kNone);
  EXPECT_EQ(policy.OfSlurmUser("root", {}), Role::kViewer) << "its own entry counts first";
}

TEST(Policy, TheHighestGroupCountsWhoeverNamesTheUser) {
  Policy policy = Parsed("@77=none,@78=viewer,*=admin");
  const std::vector<gid_t> both = {77, 78};
  EXPECT_EQ(policy.OfMungeUser(kNobodyWeKnow, std::vector<gid_t>{77}), Role::kNone);
  EXPECT_EQ(policy.OfMungeUser(kNobodyWeKnow, both), Role::kViewer);
  EXPECT_EQ(policy.OfSlurmUser("ada", std::vector<gid_t>{77}), Role::kNone);
  EXPECT_EQ(policy.OfSlurmUser("ada", both), Role::kViewer);
  EXPECT_EQ(policy.OfSlurmUser("ada", {}), Role::kReporter);
}

TEST(Policy, CertificatesGoByTheirName) {
  const Policy policy = Parsed("cert:node1.example=reporter,cert:*=viewer");
  EXPECT_EQ(policy.OfCertificate("node1.example"), Role::kReporter);
  EXPECT_EQ(policy.OfCertificate("node1.example.evil"), Role::kViewer);
}

TEST(Policy, RefusesNonsense) {
  for (const char* roles :
       {"", "root", "root=", "=admin", "cert:=admin", "@=admin", "root=king", "root=admin,,",
        "root=admin;", "root=viewer,root=admin", "cert:a=viewer, cert:a=admin"}) {
    EXPECT_EQ(ParsePolicy(roles, "none").status().code(), absl::StatusCode::kInvalidArgument)
        << roles;
  }
  EXPECT_EQ(ParsePolicy("none", "king").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Policy, MungeNamesUsersButNoAdministratorsByItself) {
  const Policy policy = Parsed("1=operator,@77=viewer,*=admin");
  EXPECT_EQ(policy.OfMungeUser(1, std::vector<gid_t>{5}), Role::kOperator);
  EXPECT_EQ(policy.OfMungeUser(kNobodyWeKnow, std::vector<gid_t>{77}), Role::kViewer)
      << "by its own group";
  EXPECT_EQ(policy.OfMungeUser(kNobodyWeKnow, std::vector<gid_t>{5}), Role::kReporter)
      << "at most, without an entry";
  EXPECT_EQ(policy.OfMungeUser(0, std::vector<gid_t>{5}), Role::kReporter) << "root of any node";
  EXPECT_EQ(Parsed("root=admin").OfMungeUser(0, std::vector<gid_t>{0}), Role::kAdmin);
  EXPECT_EQ(Parsed("*=none").OfMungeUser(kNobodyWeKnow, std::vector<gid_t>{5}), Role::kNone);
}

TEST(Policy, MungesUsersHaveTheRolesOfTheirGroups) {
  Policy policy = Parsed("@77=viewer");
  policy.member_users = {{kNobodyWeKnow, Role::kOperator}};
  EXPECT_EQ(policy.OfMungeUser(kNobodyWeKnow, std::vector<gid_t>{77}), Role::kOperator)
      << "the highest";
  EXPECT_EQ(policy.OfMungeUser(kNobodyWeKnow, std::vector<gid_t>{5}), Role::kOperator);
}

TEST(Policy, ProjectsNameTheMembersOfPatterns) {
  const auto policy = ParsePolicy(
      "none", "none", "wx-*=123456, bio=@77, wx-*=token:login1,wx-*=cert:node1, bio=123457");
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->projects.size(), 2);
  const Project& weather = policy->projects[0];
  EXPECT_EQ(weather.machines, "wx-*");
  EXPECT_EQ(weather.members.OfUser(kNobodyWeKnow, {}), Role::kViewer);
  EXPECT_EQ(weather.members.OfUser(kNobodyWeKnow + 1, {}), Role::kNone);
  EXPECT_EQ(weather.members.OfUser(0, {}), Role::kNone) << "a member only if it is named";
  EXPECT_EQ(weather.members.OfCertificate("node1"), Role::kViewer);
  EXPECT_EQ(weather.members.OfCertificate("node2"), Role::kNone);
  EXPECT_TRUE(weather.tokens.contains("login1"));
  const Project& bio = policy->projects[1];
  EXPECT_EQ(bio.machines, "bio");
  EXPECT_EQ(bio.members.OfUser(1, std::vector<gid_t>{77}), Role::kViewer);
  EXPECT_EQ(bio.members.OfMungeUser(kNobodyWeKnow + 1, std::vector<gid_t>{0}), Role::kViewer);
  EXPECT_TRUE(Parsed("none").projects.empty());
}

TEST(Policy, AProjectWithAMistakeIsRefused) {
  for (const char* projects : {"", "wx", "=123456", "wx-*=", "wx-*=*", "wx-*=@", "wx-*=cert:",
                               "wx-*=cert:*", "wx-*=token:", "WX=123456", "a b=123456", "wx=1,"}) {
    const absl::Status refused = ParsePolicy("none", "none", projects).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << projects;
    EXPECT_TRUE(absl::StartsWith(refused.message(), "projects: ")) << refused;
  }
  const absl::Status unknown = ParsePolicy("none", "none", "wx=no-such-user-here").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StartsWith(unknown.message(), "projects: ")) << unknown;
}

}  // namespace
}  // namespace cox::access
