// A bearer token: its text, the hash that coxd stores, and its line in the file of tokens. Pure,
// except that MakeTokenText() asks the system for random bytes; any thread.
//
// The text is "cox.NAME.SECRET", with a secret of 32 random bytes in hexadecimal. coxd stores the
// SHA-256 of the text: the secret has 256 random bits, so a slow hash would add nothing.
#ifndef COX_ACCESS_TOKEN_H_
#define COX_ACCESS_TOKEN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "access/role.h"

namespace cox::access {

using TokenHash = std::array<uint8_t, 32>;

struct Token {
  std::string name;
  Role role = Role::kNone;
  std::string job;  // the only one that it may report for; "": any
  int64_t create_time_us = 0;
  int64_t expire_time_us = 0;  // 0: never
  TokenHash hash{};

  bool IsExpired(int64_t now_us) const { return expire_time_us != 0 && now_us >= expire_time_us; }
};

// INVALID_ARGUMENT (fields name, role, job) unless the name has 1 to 48 of a-z, 0-9, '_' and '-'
// and starts with a letter or digit, the role is not none, and the job has at most 128 bytes
// without white space and control characters.
absl::Status CheckToken(const Token& token);

// A new text for a token of this name. UNAVAILABLE if the system has no random bytes.
absl::StatusOr<std::string> MakeTokenText(absl::string_view name);

// SHA-256 of a token's text.
TokenHash HashTokenText(absl::string_view text);

// The name in a text; nullopt if it is no token's text.
std::optional<absl::string_view> NameInTokenText(absl::string_view text);

// Compares in a time that does not depend on the hashes.
bool IsSameHash(const TokenHash& a, const TokenHash& b);

// "NAME ROLE JOB CREATE_TIME_US EXPIRE_TIME_US HASH"; a JOB of "-" is none.
std::string TokenLine(const Token& token);
// INVALID_ARGUMENT, without the hash in the message, if it is no such line.
absl::StatusOr<Token> ParseTokenLine(absl::string_view line);

}  // namespace cox::access

#endif  // COX_ACCESS_TOKEN_H_
