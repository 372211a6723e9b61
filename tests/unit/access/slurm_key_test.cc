#include "access/slurm_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "folder.h"
#include "jwt.h"

namespace cox::access {
namespace {

constexpr int64_t kNow_s = 1'700'000'000;

class SlurmKeyTest : public ::testing::Test {
 protected:
  SlurmKeyTest() {
    Write(kKey);
    key_ = *SlurmKey::Open(path_, [this] { return now_s_ * 1'000'000; });
  }
  void Write(const std::string& key, mode_t mode = 0600) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << key;
    chmod(path_.c_str(), mode);
  }
  static std::string Good() {
    return SignJwt(kJwtHeader, SlurmClaims(kNow_s, kNow_s + 60, "ada"), kKey);
  }

  static inline const std::string kKey = std::string("a key\0with\nbytes of any kind \xff!!", 32);
  Folder folder_;
  const std::string path_ = folder_.Path("jwt_hs256.key");
  int64_t now_s_ = kNow_s;
  std::unique_ptr<SlurmKey> key_;
};

TEST_F(SlurmKeyTest, KnowsWhomSlurmVouchesFor) {
  for (const std::string& text : {Good(), "SLURM_JWT=" + Good()}) {
    const auto bearer = key_->Verify(text);
    ASSERT_TRUE(bearer) << text;
    EXPECT_EQ(bearer->user, "ada");
    EXPECT_EQ(bearer->expire_time_us, (kNow_s + 60) * 1'000'000);
    EXPECT_TRUE(key_->IsGood(*bearer));
  }
}

TEST_F(SlurmKeyTest, RefusesWhatTheKeyDidNotSign) {
  const std::string claims = SlurmClaims(kNow_s, kNow_s + 60, "ada");
  std::string changed = Good();
  const size_t in_claims = changed.find('.') + 10;
  changed[in_claims] = changed[in_claims] == 'A' ? 'B' : 'A';
  const std::string good = Good();
  const std::string unsigned_text =
      absl::StrCat(absl::WebSafeBase64Escape(R"({"alg":"none","typ":"JWT"})"), ".",
                   absl::WebSafeBase64Escape(claims), ".");
  for (const std::string& text :
       {changed, good.substr(0, good.size() - 2), good.substr(0, good.rfind('.') + 1),
        SignJwt(kJwtHeader, claims, std::string(32, 'x')), unsigned_text,
        unsigned_text + good.substr(good.rfind('.') + 1),
        SignJwt(R"({"alg":"HS384","typ":"JWT"})", claims, kKey, EVP_sha384()),
        SignJwt(R"({"alg":"HS512","typ":"JWT"})", claims, kKey, EVP_sha512()),
        SignJwt(R"({"alg":"RS256","typ":"JWT"})", claims, kKey), std::string(), std::string("."),
        std::string(".."), std::string("cox.ci.0"), std::string(1 << 20, 'a'),
        std::string("a\0b.c.d", 7), good + std::string("\0x", 2)}) {
    EXPECT_FALSE(key_->Verify(text)) << text;
  }
}

TEST_F(SlurmKeyTest, RefusesWrongClaims) {
  for (const std::string& claims :
       {SlurmClaims(kNow_s, kNow_s, "ada"), SlurmClaims(kNow_s, kNow_s - 1, "ada"),
        SlurmClaims(kNow_s + 61, kNow_s + 120, "ada"), SlurmClaims(kNow_s, kNow_s + 60, ""),
        SlurmClaims(kNow_s, kNow_s + 60, std::string(257, 'a')),
        absl::StrCat(R"({"iat":)", kNow_s, R"(,"sun":"ada"})"),
        absl::StrCat(R"({"exp":)", kNow_s + 60, R"(,"sun":"ada"})"),
        absl::StrCat(R"({"exp":)", kNow_s + 60, R"(,"iat":)", kNow_s, "}"),
        absl::StrCat(R"({"exp":)", kNow_s + 60, R"(,"iat":)", kNow_s, R"(,"sun":0})"),
        absl::StrCat(R"({"exp":"later","iat":)", kNow_s, R"(,"sun":"ada"})"),
        absl::StrCat(R"({"exp":9223372036854775807,"iat":)", kNow_s, R"(,"sun":"ada"})"),
        std::string("[]"), std::string("{}"), std::string("x")}) {
    EXPECT_FALSE(key_->Verify(SignJwt(kJwtHeader, claims, kKey))) << claims;
  }
  EXPECT_TRUE(
      key_->Verify(SignJwt(kJwtHeader, SlurmClaims(kNow_s + 60, kNow_s + 120, "ada"), kKey)))
      << "clocks differ by a minute";
}

TEST_F(SlurmKeyTest, ATokenEnds) {
  const auto bearer = key_->Verify(Good());
  ASSERT_TRUE(bearer);
  now_s_ = kNow_s + 60;
  EXPECT_FALSE(key_->Verify(Good()));
  EXPECT_FALSE(key_->IsGood(*bearer));
}

TEST_F(SlurmKeyTest, ANewKeyEndsTheTokensOfTheOldOne) {
  const auto bearer = key_->Verify(Good());
  ASSERT_TRUE(key_->Refresh().ok());
  EXPECT_TRUE(key_->IsGood(*bearer)) << "the same key";
  Write(std::string(32, 'n'));
  ASSERT_TRUE(key_->Refresh().ok());
  EXPECT_FALSE(key_->Verify(Good()));
  EXPECT_FALSE(key_->IsGood(*bearer));
  const auto next = key_->Verify(
      SignJwt(kJwtHeader, SlurmClaims(kNow_s, kNow_s + 60, "ada"), std::string(32, 'n')));
  ASSERT_TRUE(next);
  EXPECT_TRUE(key_->IsGood(*next));
}

TEST_F(SlurmKeyTest, AWrongFileIsNamedAndTheLastGoodKeyStays) {
  const struct {
    std::string key;
    mode_t mode;
    const char* said;
  } cases[] = {{kKey, 0644, "every user"},
               {"too short", 0600, "16 to 4096 bytes"},
               {std::string(4'097, 'x'), 0600, "16 to 4096 bytes"},
               {"", 0600, "16 to 4096 bytes"}};
  for (const auto& wrong : cases) {
    Write(wrong.key, wrong.mode);
    const absl::Status status = key_->Refresh();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << wrong.said;
    EXPECT_NE(status.message().find(wrong.said), absl::string_view::npos) << status;
    EXPECT_NE(status.message().find(path_), absl::string_view::npos) << status;
    EXPECT_TRUE(key_->Verify(Good()));
  }
  EXPECT_FALSE(SlurmKey::Open(folder_.Path("missing"), [] { return 0; }).ok());
}

}  // namespace
}  // namespace cox::access
