#include "access/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "folder.h"

namespace cox::access {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TokensTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.Path("tokens"); }
  std::unique_ptr<Tokens> Open() {
    auto tokens = Tokens::Open(Path(), [this] { return now_us_; });
    EXPECT_TRUE(tokens.ok()) << tokens.status();
    return tokens.ok() ? *std::move(tokens) : nullptr;
  }
  static Token Spec(const std::string& name, Role role = Role::kViewer) {
    Token token;
    token.name = name;
    token.role = role;
    return token;
  }
  std::string FileText() const {
    std::ostringstream text;
    text << std::ifstream(Path()).rdbuf();
    return text.str();
  }
  void WriteFile(const std::string& text, mode_t mode = 0600) const {
    std::ofstream(Path()) << text;
    chmod(Path().c_str(), mode);
  }

  Folder folder_;
  int64_t now_us_ = 1'000'000;
};

TEST_F(TokensTest, ATokenIsFoundByItsTextAlone) {
  const auto tokens = Open();
  const auto created = tokens->Create(Spec("ci", Role::kOperator));
  ASSERT_TRUE(created.ok()) << created.status();
  const auto found = tokens->Find(created->text);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "ci");
  EXPECT_EQ(found->role, Role::kOperator);
  for (size_t i = 0; i < created->text.size(); ++i) {
    std::string forged = created->text;
    forged[i] = forged[i] == '0' ? '1' : '0';
    EXPECT_FALSE(tokens->Find(forged)) << i;
  }
  EXPECT_FALSE(tokens->Find(created->text + "0"));
  EXPECT_FALSE(tokens->Find(created->text.substr(1)));
  EXPECT_FALSE(tokens->Find(""));
}

TEST_F(TokensTest, TheFileHoldsNoTextAndIsItsOwnersOnly) {
  const auto created = Open()->Create(Spec("ci"));
  ASSERT_TRUE(created.ok());
  const std::string secret = created->text.substr(created->text.rfind('.') + 1);
  EXPECT_EQ(secret.size(), 64U);
  EXPECT_THAT(FileText(), HasSubstr("ci viewer"));
  EXPECT_THAT(FileText(), Not(HasSubstr(secret)));
  struct stat status {};
  ASSERT_EQ(stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(TokensTest, ARestartKeepsThemAndARevocationLasts) {
  std::string kept;
  std::string revoked;
  {
    const auto tokens = Open();
    kept = tokens->Create(Spec("kept"))->text;
    revoked = tokens->Create(Spec("revoked"))->text;
    EXPECT_TRUE(tokens->Revoke("revoked").ok());
    EXPECT_FALSE(tokens->Find(revoked));
    EXPECT_EQ(tokens->Revoke("revoked").code(), absl::StatusCode::kNotFound);
  }
  const auto tokens = Open();
  EXPECT_TRUE(tokens->Find(kept));
  EXPECT_FALSE(tokens->Find(revoked));
}

TEST_F(TokensTest, ATokenEnds) {
  const auto tokens = Open();
  Token spec = Spec("short");
  spec.expire_time_us = now_us_ + 10;
  const auto created = tokens->Create(spec);
  ASSERT_TRUE(created.ok()) << created.status();
  now_us_ += 9;
  EXPECT_TRUE(tokens->Find(created->text));
  EXPECT_TRUE(tokens->FindAgain("short", created->token.create_time_us));
  now_us_ += 1;
  EXPECT_FALSE(tokens->Find(created->text));
  EXPECT_FALSE(tokens->FindAgain("short", created->token.create_time_us));
  spec.name = "past";
  EXPECT_EQ(tokens->Create(spec).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TokensTest, ANameIsUsedByOneTokenAtATime) {
  const auto tokens = Open();
  const auto first = tokens->Create(Spec("ci"));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(tokens->Create(Spec("ci")).status().code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(tokens->Revoke("ci").ok());
  now_us_ += 1;
  const auto second = tokens->Create(Spec("ci"));
  ASSERT_TRUE(second.ok());
  EXPECT_NE(first->text, second->text);
  EXPECT_FALSE(tokens->Find(first->text));
  EXPECT_FALSE(tokens->FindAgain("ci", first->token.create_time_us));
}

TEST_F(TokensTest, AnEditedFileCountsAndABrokenOneDoesNot) {
  const auto tokens = Open();
  const auto created = tokens->Create(Spec("ci"));
  ASSERT_TRUE(created.ok());
  const std::string good = FileText();
  WriteFile(good + "broken line\n");
  const absl::Status broken = tokens->Refresh();
  EXPECT_EQ(broken.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(broken.message()), HasSubstr("line 3"));
  EXPECT_TRUE(tokens->Find(created->text)) << "the last good tokens stay";
  WriteFile("# all gone, by hand\n");
  EXPECT_TRUE(tokens->Refresh().ok());
  EXPECT_FALSE(tokens->Find(created->text));
  WriteFile(good, 0644);
  EXPECT_THAT(std::string(tokens->Refresh().message()), HasSubstr("chmod 600"));
}

TEST_F(TokensTest, ABrokenFileIsRefusedAtTheStart) {
  for (const char* text : {"ci\n", "ci viewer - 1 0 00\n", "ci king - 1 0 " /* no hash */}) {
    WriteFile(text);
    EXPECT_EQ(Tokens::Open(Path(), [] { return 0; }).status().code(),
              absl::StatusCode::kFailedPrecondition)
        << text;
  }
}

TEST_F(TokensTest, NamesAndJobsHaveRules) {
  const auto tokens = Open();
  for (const char* name : {"", "-a", "A", "a b", "a/b", "a.b", "a\n"}) {
    EXPECT_EQ(tokens->Create(Spec(name)).status().code(), absl::StatusCode::kInvalidArgument)
        << name;
  }
  EXPECT_EQ(tokens->Create(Spec(std::string(49, 'a'))).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(tokens->Create(Spec("a", Role::kNone)).status().code(),
            absl::StatusCode::kInvalidArgument);
  for (const char* job : {"-", "a b", "a\n"}) {
    Token spec = Spec("a", Role::kReporter);
    spec.job = job;
    EXPECT_EQ(tokens->Create(spec).status().code(), absl::StatusCode::kInvalidArgument) << job;
  }
  Token viewer = Spec("a", Role::kViewer);
  viewer.job = "1";
  EXPECT_EQ(tokens->Create(viewer).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace cox::access
