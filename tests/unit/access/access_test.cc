#include "access/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "folder.h"

namespace cox::access {
namespace {

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    auto policy = ParsePolicy("4242=operator,cert:node1=reporter", "viewer");
    auto tokens = Tokens::Open(folder_.Path("tokens"), [this] { return now_us_; });
    access_ = *Access::Make(*std::move(policy), *std::move(tokens));
  }
  std::string NewToken(const std::string& name, Role role) {
    Token token;
    token.name = name;
    token.role = role;
    return absl::StrCat("Bearer ", access_->tokens().Create(token)->text);
  }

  Folder folder_;
  int64_t now_us_ = 1;
  std::unique_ptr<Access> access_;
};

TEST_F(AccessTest, TcpWithoutTlsIsAnonymous) {
  const auto principal = access_->Identify({.peer = "ipv4:127.0.0.1:4711"});
  ASSERT_TRUE(principal.ok());
  EXPECT_EQ(principal->name, "anonymous");
  EXPECT_EQ(principal->role, Role::kViewer);
}

TEST_F(AccessTest, AUnixSocketsUserIsKnown) {
  const std::string peer = absl::StrCat("unix-abstract:", access_->NameOfUser(4242, 4242, {}));
  const auto principal = access_->Identify({.peer = peer});
  ASSERT_TRUE(principal.ok());
  EXPECT_EQ(principal->name, "uid:4242");
  EXPECT_EQ(principal->role, Role::kOperator);
}

// A rootless container has 65,536 numbers of users, and its owner chooses among them.
TEST_F(AccessTest, ASubordinateUserIsItsOwner) {
  std::ofstream(folder_.Path("subuid")) << "4242:3000000:65536\n4243:3065536:65536\n";
  auto policy = ParsePolicy("4242=operator,3000007=viewer,4243=none", "none");
  ASSERT_TRUE(policy.ok()) << policy.status();
  auto tokens = Tokens::Open(folder_.Path("tokens"), [this] { return now_us_; });
  const auto groups_of = [](const ConnectionId&) { return std::vector<gid_t>(); };
  const auto access = *Access::Make(*policy, *std::move(tokens), nullptr, nullptr, nullptr,
                                    groups_of, folder_.Path("subuid"));
  const auto who = [&](uid_t user) {
    const std::string name =
        access->NameOfUser(user, access->OwnerOf(user), {}, {.fd = 7, .cookie = 4711});
    return *access->Identify({.peer = absl::StrCat("unix-abstract:", name)});
  };
  for (const uid_t user : {3'000'000U, 3'000'001U}) {
    EXPECT_EQ(who(user).name, "uid:4242");
    EXPECT_EQ(who(user).role, Role::kReporter) << "a container of an operator is no operator";
  }
  EXPECT_EQ(who(4242).role, Role::kOperator);
  EXPECT_EQ(who(3'000'007).name, "uid:3000007") << "`roles` names it";
  EXPECT_EQ(who(3'000'007).role, Role::kViewer);
  EXPECT_EQ(who(3'065'536).role, Role::kNone) << "its owner has none";
  // The system's database knows the groups of its owner.
  const auto restricting = ParsePolicy("@daemon=none", "none");
  ASSERT_TRUE(restricting.ok()) << restricting.status();
  access->SetPolicy(*restricting);
  EXPECT_EQ(access->RoleOf(3'000'000, 1, {}), Role::kNone) << "user 1 is daemon";
  EXPECT_EQ(access->RoleOf(1, 1, std::vector<gid_t>{3'000'000}), Role::kNone);
  EXPECT_EQ(access->RoleOf(3'000'000, 4242, {}), Role::kReporter);
  access->SetPolicy(*policy);
  // Also for a connection that is older than the roles.
  const std::string peer = absl::StrCat(
      "unix-abstract:", access->NameOfUser(3'000'000, 4242, {}, {.fd = 7, .cookie = 4711}));
  access->SetPolicy(*ParsePolicy("4242=none", "none"));
  EXPECT_EQ(access->Identify({.peer = peer})->role, Role::kNone);
  access->SetPolicy(*ParsePolicy("4242=operator,*=viewer", "none"));
  EXPECT_EQ(access->Identify({.peer = peer})->role, Role::kViewer);
  EXPECT_EQ(access->Identify({.peer = peer})->name, "uid:4242");
}

TEST_F(AccessTest, AConnectionThatNobodyKnowsMayDoNothing) {
  // A client may bind any of these names of Unix sockets itself.
  for (const char* peer :
       {"", "vsock:2:1", "unix:", "unix-abstract:cox-00000000000000000000000000000000-4.1.0.0.7.1",
        "unix-abstract:", "unix:/run/4.1.0.0.7.1"}) {
    const auto principal = access_->Identify({.peer = peer});
    ASSERT_TRUE(principal.ok()) << peer;
    EXPECT_EQ(principal->role, Role::kNone) << peer;
  }
}

TEST_F(AccessTest, ATokenCountsBeforeEverythingElse) {
  const std::string authorization = NewToken("ci", Role::kAdmin);
  const std::string peer = absl::StrCat("unix-abstract:", access_->NameOfUser(4242, 4242, {}));
  const auto principal = access_->Identify({.peer = peer, .authorization = authorization});
  ASSERT_TRUE(principal.ok());
  EXPECT_EQ(principal->name, "token:ci");
  EXPECT_EQ(principal->role, Role::kAdmin);
  for (const char* wrong : {"Bearer x", "Basic YTpi", "Bearer ", "cox.ci.00", "", " "}) {
    for (const std::string& from : {peer, std::string("ipv4:127.0.0.1:4711")}) {
      EXPECT_EQ(access_->Identify({.peer = from, .authorization = wrong}).status().code(),
                absl::StatusCode::kUnauthenticated)
          << from << " " << wrong;
    }
  }
}

TEST_F(AccessTest, TlsNeedsATokenOrACertificate) {
  const auto nobody = access_->Identify({.peer = "ipv4:10.0.0.1:1", .is_encrypted = true});
  EXPECT_EQ(nobody.status().code(), absl::StatusCode::kUnauthenticated);
  const auto node = access_->Identify(
      {.peer = "ipv4:10.0.0.1:1", .is_encrypted = true, .certificate_name = "node1"});
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->name, "cert:node1");
  EXPECT_EQ(node->role, Role::kReporter);
  const auto other = access_->Identify(
      {.peer = "ipv4:10.0.0.1:1", .is_encrypted = true, .certificate_name = "a/b c"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->name, "cert:a%2fb%20c");
  EXPECT_EQ(other->role, Role::kNone);
}

TEST_F(AccessTest, ARevokedTokensStreamMustEnd) {
  const auto principal = access_->Identify({.authorization = NewToken("ci", Role::kViewer)});
  ASSERT_TRUE(principal.ok());
  EXPECT_TRUE(access_->CheckAgain(*principal).ok());
  ASSERT_TRUE(access_->tokens().Revoke("ci").ok());
  EXPECT_EQ(access_->CheckAgain(*principal).code(), absl::StatusCode::kUnauthenticated);
  now_us_ += 1;
  NewToken("ci", Role::kViewer);
  EXPECT_EQ(access_->CheckAgain(*principal).code(), absl::StatusCode::kUnauthenticated)
      << "another token of that name";
}

TEST_F(AccessTest, AStreamMustEndWhenItsTokenMayDoLess) {
  const auto principal = access_->Identify({.authorization = NewToken("ci", Role::kReporter)});
  ASSERT_TRUE(principal.ok());
  Token token = access_->tokens().List().at(0);
  const auto edit = [&] {
    std::ofstream(folder_.Path("edited")) << TokenLine(token) << "\n";
    chmod(folder_.Path("edited").c_str(), 0600);
    std::filesystem::rename(folder_.Path("edited"), folder_.Path("tokens"));
    EXPECT_TRUE(access_->tokens().Refresh().ok());
    return access_->CheckAgain(*principal);
  };
  token.role = Role::kOperator;
  EXPECT_TRUE(edit().ok());
  token.role = Role::kViewer;
  const absl::Status less = edit();
  EXPECT_EQ(less.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(less.message()), ::testing::HasSubstr("viewer"));
  token.role = Role::kReporter;
  EXPECT_TRUE(edit().ok());
  token.job = "4711";
  EXPECT_EQ(edit().code(), absl::StatusCode::kUnauthenticated) << "for another job now";
}

TEST_F(AccessTest, EachRoleMayDoWhatTheLesserOnesMay) {
  Principal principal;
  for (const Rule& rule : Rules()) {
    for (const Role role :
         {Role::kNone, Role::kViewer, Role::kReporter, Role::kOperator, Role::kAdmin}) {
      principal.role = role;
      EXPECT_EQ(Access::Check(principal, rule).ok(), role >= rule.role)
          << rule.method << " " << RoleName(role);
    }
  }
}

// Each kind of caller is known to a project by what proves who it is.
TEST_F(AccessTest, OnlyMembersAndOperatorsSeeTheMachinesOfAProject) {
  auto policy = ParsePolicy("4243=operator,*=reporter", "viewer",
                            "wx-*=4242, wx-1=@77, wx-*=cert:node1, wx-*=token:ci");
  ASSERT_TRUE(policy.ok()) << policy.status();
  auto tokens = Tokens::Open(folder_.Path("tokens-2"), [this] { return now_us_; });
  std::vector<gid_t> groups;
  const auto access = *Access::Make(
      *policy, *std::move(tokens), nullptr, nullptr, nullptr,
      [&groups](const ConnectionId&) { return groups; }, folder_.Path("no-subuid"));
  const auto over_unix = [](uid_t user, Role role = Role::kReporter) {
    Principal principal;
    principal.kind = Principal::Kind::kUser;
    principal.role = role;
    principal.user = principal.owner = user;
    principal.connection = {.fd = 7, .cookie = 4711};
    return principal;
  };
  const auto by_munge = [&](uid_t user, gid_t group) {
    Principal principal = over_unix(user);
    principal.connection = {};
    principal.group = group;
    return principal;
  };
  const auto named = [](Principal::Kind kind, const std::string& name) {
    Principal principal;
    principal.kind = kind;
    principal.role = Role::kReporter;
    principal.name = name;
    principal.plain_name = name;
    return principal;
  };
  EXPECT_TRUE(access->SeesMachine(over_unix(4242), "wx-1"));
  EXPECT_TRUE(access->SeesMachine(by_munge(4242, 1), "wx-2"));
  EXPECT_TRUE(access->SeesMachine(named(Principal::Kind::kToken, "token:ci"), "wx-2"));
  EXPECT_TRUE(access->SeesMachine(named(Principal::Kind::kCertificate, "node1"), "wx-2"));
  const std::vector<Principal> others = {
      over_unix(4244),
      by_munge(4244, 1),
      named(Principal::Kind::kToken, "token:other"),
      named(Principal::Kind::kToken, "token:4242"),
      named(Principal::Kind::kCertificate, "node2"),
      named(Principal::Kind::kCertificate, "ci"),
      named(Principal::Kind::kSlurmUser, "4242"),
      named(Principal::Kind::kAnonymous, "anonymous"),
  };
  for (const Principal& other : others) {
    EXPECT_FALSE(access->SeesMachine(other, "wx-1")) << other.name;
    EXPECT_TRUE(access->SeesMachine(other, "wy-1")) << "it is of no project";
    EXPECT_FALSE(access->SeesAllMachines(other));
  }
  EXPECT_TRUE(access->SeesAllMachines(over_unix(4243, Role::kOperator)));
  EXPECT_TRUE(access->SeesMachine(over_unix(4243, Role::kOperator), "wx-1"));
  groups = {77};
  EXPECT_TRUE(access->SeesMachine(over_unix(4244), "wx-1"));
  EXPECT_FALSE(access->SeesMachine(over_unix(4244), "wx-2")) << "the group is of wx-1 only";
  EXPECT_TRUE(access->SeesMachine(by_munge(4244, 77), "wx-1"));
  access->SetPolicy(*ParsePolicy("none", "none"));
  EXPECT_TRUE(access->SeesMachine(over_unix(4245), "wx-1")) << "there are no projects any more";
}

}  // namespace
}  // namespace cox::access
