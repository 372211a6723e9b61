#include "service/entry/roles_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "access/policy.h"
#include "access/tokens.h"
#include "folder.h"

namespace cox::service {
namespace {

using access::Role;
using ::testing::HasSubstr;

constexpr uid_t kAda = 54'321;

class RolesFileTest : public ::testing::Test {
 protected:
  // The daemon starts with this file.
  void Start(const std::string& text, daemon::ConfigValues flags = {}) {
    const daemon::ConfigSources sources = {{std::move(flags)}, folder_.Write("coxd.toml", text)};
    auto config = daemon::MakeConfig(*daemon::ReadConfigValues(sources));
    ASSERT_TRUE(config.ok()) << config.status();
    config->sources = sources;
    auto tokens = access::Tokens::Open(folder_.Path("tokens"), [] { return int64_t{1}; });
    access_ = *access::Access::Make(*access::ParsePolicy(config->roles, config->anonymous_role),
                                    *std::move(tokens), nullptr, nullptr, nullptr,
                                    [this](const access::ConnectionId& connection) {
                                      EXPECT_EQ(connection.fd, 7);
                                      return groups_;
                                    });
    roles_ = std::make_unique<RolesFile>(*config, access_.get());
    EXPECT_TRUE(roles_->Refresh().ok());
    EXPECT_TRUE(roles_->Refresh().ok());
  }
  // Two looks at the file: one would not be enough.
  absl::Status Change(const std::string& text) {
    folder_.Write("coxd.toml", text);
    EXPECT_TRUE(roles_->Refresh().ok());
    return roles_->Refresh();
  }
  Role RoleOfAda() const { return access_->RoleOf(kAda, kAda, {}); }

  Folder folder_;
  std::optional<std::vector<gid_t>> groups_ = std::vector<gid_t>{5, 6};
  std::unique_ptr<access::Access> access_;
  std::unique_ptr<RolesFile> roles_;
};

TEST_F(RolesFileTest, AChangeCountsWhenItWasReadTwice) {
  Start("roles = \"54321=operator\"\n");
  EXPECT_EQ(RoleOfAda(), Role::kOperator);
  folder_.Write("coxd.toml", "");  // an editor has emptied the file, and writes it
  EXPECT_TRUE(roles_->Refresh().ok());
  EXPECT_EQ(RoleOfAda(), Role::kOperator);
  EXPECT_TRUE(Change("roles = \"54321=viewer\"\n").ok());
  EXPECT_EQ(RoleOfAda(), Role::kViewer);
}

TEST_F(RolesFileTest, AMistakeKeepsTheLastGoodRoles) {
  Start("roles = \"54321=operator\"\n");
  const std::pair<const char*, const char*> mistakes[] = {
      {"roles = \"54321=king\"\n", "king"},
      {"roles = \"no-such-user-here=admin\"\n", "no-such-user-here"},
      {"roles = \"*=none\"\nanonymous-role = \"king\"\n", "anonymous-role"},
      {"roles = \"*=none\"\nmax-streams = \"many\"\n", "max-streams"}};
  for (const auto& [text, named] : mistakes) {
    const absl::Status status = Change(text);
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
    EXPECT_EQ(roles_->Refresh(), status) << "until somebody mends the file";
    EXPECT_EQ(RoleOfAda(), Role::kOperator) << text;
  }
  folder_.Write("coxd.toml", "roles = ");
  EXPECT_FALSE(roles_->Refresh().ok());
  std::filesystem::remove(folder_.Path("coxd.toml"));
  EXPECT_FALSE(roles_->Refresh().ok());
  EXPECT_EQ(RoleOfAda(), Role::kOperator);
  EXPECT_TRUE(Change("roles = \"54321=none\"\n").ok());
  EXPECT_EQ(RoleOfAda(), Role::kNone);
}

TEST_F(RolesFileTest, FlagsCountBeforeTheFile) {
  Start("roles = \"none\"\n", {{"roles", "54321=operator"}});
  EXPECT_TRUE(Change("roles = \"54321=viewer\"\n").ok());
  EXPECT_EQ(RoleOfAda(), Role::kOperator);
}

TEST_F(RolesFileTest, OpenConnectionsHaveTheNewRoles) {
  Start("roles = \"54321=operator,@6=admin\"\n");
  const std::string peer = absl::StrCat(
      "unix-abstract:", access_->NameOfUser(kAda, kAda, *groups_, {.fd = 7, .cookie = 4711}));
  const auto before = access_->Identify({.peer = peer});
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->role, Role::kOperator);
  EXPECT_TRUE(access_->CheckAgain(*before).ok());

  EXPECT_TRUE(Change("roles = \"@6=viewer\"\n").ok());
  EXPECT_EQ(access_->Identify({.peer = peer})->role, Role::kViewer) << "by its group";
  EXPECT_EQ(access_->CheckAgain(*before).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(Change("roles = \"@6=admin\"\n").ok());
  EXPECT_TRUE(access_->CheckAgain(*before).ok()) << "it may do more now";
  groups_ = std::nullopt;
  EXPECT_EQ(access_->Identify({.peer = peer})->role, Role::kNone) << "the connection is closed";
}

TEST_F(RolesFileTest, StreamsOfAllKindsOfCallersAreCheckedAgain) {
  Start("roles = \"cert:node1=operator\"\nanonymous-role = \"reporter\"\n");
  const auto node = access_->Identify({.is_encrypted = true, .certificate_name = "node1"});
  const auto anybody = access_->Identify({.peer = "ipv4:127.0.0.1:4711"});
  ASSERT_TRUE(node.ok() && anybody.ok());
  access::Principal job;
  job.kind = access::Principal::Kind::kUser;
  job.user = kAda;
  job.group = 5;
  job.role = Role::kReporter;  // by munge
  for (const access::Principal& caller : {*node, *anybody, job}) {
    EXPECT_TRUE(access_->CheckAgain(caller).ok()) << caller.name;
  }
  EXPECT_TRUE(Change("roles = \"cert:node1=viewer,*=none\"\nanonymous-role = \"viewer\"\n").ok());
  for (const access::Principal& caller : {*node, *anybody, job}) {
    EXPECT_EQ(access_->CheckAgain(caller).code(), absl::StatusCode::kPermissionDenied)
        << caller.name;
  }
}

}  // namespace
}  // namespace cox::service
