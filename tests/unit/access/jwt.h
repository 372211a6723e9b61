// Signs JSON Web Tokens as RFC 7515 says, not with the library that is under test.
#ifndef COX_TESTS_UNIT_ACCESS_JWT_H_
#define COX_TESTS_UNIT_ACCESS_JWT_H_

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace cox {

// `header` and `claims` are JSON.
inline std::string SignJwt(const std::string& header, const std::string& claims,
                           const std::string& key, const EVP_MD* hash = EVP_sha256()) {
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

inline constexpr const char* kJwtHeader = R"({"alg":"HS256","typ":"JWT"})";

// The claims of `scontrol token`, in its order.
inline std::string SlurmClaims(int64_t issued_s, int64_t expires_s, const std::string& user) {
  return absl::StrCat(R"({"exp":)", expires_s, R"(,"iat":)", issued_s, R"(,"sun":")", user,
                      R"("})");
}

}  // namespace cox

#endif  // COX_TESTS_UNIT_ACCESS_JWT_H_
