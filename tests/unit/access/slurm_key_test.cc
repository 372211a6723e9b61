#include "access/slurm_key.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "folder.h"

namespace cox::access {
namespace {

constexpr int64_t kNow_s = 1'700'000'000;

// Signs as RFC 7515 says, not with the library that is under test.
std::string Sign(const std::string& header, const std::string& claims, const std::string& key,
                 const EVP_MD* hash = EVP_sha256()) {
  const std::string text =
      absl::StrCat(absl::WebSafeBase64Escape(header), ".", absl::WebSafeBase64Escape(claims));
  unsigned char signature[EVP_MAX_MD_SIZE];
  unsigned bytes = 0;
  HMAC(hash, key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), signature, &bytes);
  return absl::StrCat(text, ".",
                      absl::WebSafeBase64Escape(
                          absl::string_view(reinterpret_cast<const char*>(signature), bytes)));
}

constexpr const char* kHeader = R"({"alg":"HS256","typ":"JWT"})";

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
  static std::string Claims(int64_t issued_s, int64_t expires_s, const std::string& user) {
    return absl::StrCat(R"({"exp":)", expires_s, R"(,"iat":)", issued_s, R"(,"sun":")", user,
                        R"("})");
  }
  static std::string Good() { return Sign(kHeader, Claims(kNow_s, kNow_s + 60, "ada"), kKey); }

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

TEST_F(SlurmKeyTest, KnowsATokenThatSlurmItselfSigned) {
  // `scontrol token username=ada lifespan=1000` of Slurm 22.05 has the claims in this order.
  const std::string text = Sign(R"({"alg":"HS256","typ":"JWT"})",
                                R"({"exp":1700001000,"iat":1700000000,"sun":"ada"})", kKey);
  EXPECT_TRUE(key_->Verify(text));
}

TEST_F(SlurmKeyTest, RefusesWhatTheKeyDidNotSign) {
  const std::string claims = Claims(kNow_s, kNow_s + 60, "ada");
  std::string changed = Good();
  const size_t in_claims = changed.find('.') + 10;
  changed[in_claims] = changed[in_claims] == 'A' ? 'B' : 'A';
  const std::string good = Good();
  const std::string unsigned_text =
      absl::StrCat(absl::WebSafeBase64Escape(R"({"alg":"none","typ":"JWT"})"), ".",
                   absl::WebSafeBase64Escape(claims), ".");
  for (const std::string& text :
       {changed, good.substr(0, good.size() - 2), good.substr(0, good.rfind('.') + 1),
        Sign(kHeader, claims, std::string(32, 'x')), unsigned_text,
        unsigned_text + good.substr(good.rfind('.') + 1),
        Sign(R"({"alg":"HS384","typ":"JWT"})", claims, kKey, EVP_sha384()),
        Sign(R"({"alg":"HS512","typ":"JWT"})", claims, kKey, EVP_sha512()),
        Sign(R"({"alg":"RS256","typ":"JWT"})", claims, kKey), std::string(), std::string("."),
        std::string(".."), std::string("cox.ci.0"), std::string(1 << 20, 'a'),
        std::string("a\0b.c.d", 7), good + std::string("\0x", 2)}) {
    EXPECT_FALSE(key_->Verify(text)) << text;
  }
}

TEST_F(SlurmKeyTest, RefusesWrongClaims) {
  for (const std::string& claims :
       {Claims(kNow_s, kNow_s, "ada"), Claims(kNow_s, kNow_s - 1, "ada"),
        Claims(kNow_s + 61, kNow_s + 120, "ada"), Claims(kNow_s, kNow_s + 60, ""),
        Claims(kNow_s, kNow_s + 60, std::string(257, 'a')),
        absl::StrCat(R"({"iat":)", kNow_s, R"(,"sun":"ada"})"),
        absl::StrCat(R"({"exp":)", kNow_s + 60, R"(,"sun":"ada"})"),
        absl::StrCat(R"({"exp":)", kNow_s + 60, R"(,"iat":)", kNow_s, "}"),
        absl::StrCat(R"({"exp":)", kNow_s + 60, R"(,"iat":)", kNow_s, R"(,"sun":0})"),
        absl::StrCat(R"({"exp":"later","iat":)", kNow_s, R"(,"sun":"ada"})"),
        absl::StrCat(R"({"exp":9223372036854775807,"iat":)", kNow_s, R"(,"sun":"ada"})"),
        std::string("[]"), std::string("{}"), std::string("x")}) {
    EXPECT_FALSE(key_->Verify(Sign(kHeader, claims, kKey))) << claims;
  }
  EXPECT_TRUE(key_->Verify(Sign(kHeader, Claims(kNow_s + 60, kNow_s + 120, "ada"), kKey)))
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
  const auto next =
      key_->Verify(Sign(kHeader, Claims(kNow_s, kNow_s + 60, "ada"), std::string(32, 'n')));
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
