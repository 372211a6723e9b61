#include "access/token.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/errors.h"

namespace cox::access {
namespace {

constexpr absl::string_view kPrefix = "cox.";
constexpr size_t kMaxNameBytes = 48;
constexpr size_t kMaxJobBytes = 128;
constexpr size_t kSecretBytes = 32;
constexpr absl::string_view kNoJob = "-";

bool IsName(absl::string_view name) {
  const auto is_plain = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); };
  return !name.empty() && name.size() <= kMaxNameBytes && is_plain(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_plain(c) || c == '_' || c == '-'; });
}

bool IsJob(absl::string_view job) {
  return job.size() <= kMaxJobBytes && job != kNoJob &&
         std::all_of(job.begin(), job.end(), [](char c) { return absl::ascii_isgraph(c); });
}

// Of exactly 64 digits.
bool ParseHash(absl::string_view text, TokenHash* hash) {
  if (text.size() != 2 * hash->size() ||
      !std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isxdigit(c); })) {
    return false;
  }
  const std::string bytes = absl::HexStringToBytes(text);
  std::copy(bytes.begin(), bytes.end(), hash->begin());
  return true;
}

}  // namespace

absl::Status CheckToken(const Token& token) {
  if (!IsName(token.name)) {
    return domain::InvalidField(
        "name", absl::StrCat("must have 1 to ", kMaxNameBytes,
                             " of a-z, 0-9, '_' and '-', and start with a letter or digit"));
  }
  if (token.role == Role::kNone) {
    return domain::InvalidField("role", "must be viewer, reporter, operator or admin");
  }
  if (!IsJob(token.job)) {
    return domain::InvalidField("job", absl::StrCat("must have at most ", kMaxJobBytes,
                                                    " printable characters without spaces, and "
                                                    "must not be \"-\""));
  }
  if (token.role == Role::kViewer && !token.job.empty()) {
    return domain::InvalidField("job", "must be empty for a viewer, who reports for no job");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> MakeTokenText(absl::string_view name) {
  std::string secret(kSecretBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()), kSecretBytes) != 1) {
    return absl::UnavailableError("the system has no random bytes; try again later");
  }
  return absl::StrCat(kPrefix, name, ".", absl::BytesToHexString(secret));
}

TokenHash HashTokenText(absl::string_view text) {
  TokenHash hash;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return hash;
}

std::optional<absl::string_view> NameInTokenText(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, kPrefix)) return std::nullopt;
  const absl::string_view name = text.substr(0, text.find('.'));
  const bool has_secret = text.size() == name.size() + 1 + 2 * kSecretBytes;
  return has_secret && IsName(name) ? std::optional(name) : std::nullopt;
}

bool IsSameHash(const TokenHash& a, const TokenHash& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string TokenLine(const Token& token) {
  const absl::string_view hash(reinterpret_cast<const char*>(token.hash.data()), token.hash.size());
  return absl::StrCat(token.name, " ", RoleName(token.role), " ",
                      token.job.empty() ? kNoJob : token.job, " ", token.create_time_us, " ",
                      token.expire_time_us, " ", absl::BytesToHexString(hash));
}

absl::StatusOr<Token> ParseTokenLine(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  Token token;
  if (words.size() != 6 || !absl::SimpleAtoi(words[3], &token.create_time_us) ||
      !absl::SimpleAtoi(words[4], &token.expire_time_us) || !ParseHash(words[5], &token.hash)) {
    return absl::InvalidArgumentError("must be NAME ROLE JOB CREATE_TIME EXPIRE_TIME HASH");
  }
  token.name = std::string(words[0]);
  token.role = ParseRole(words[1]).value_or(Role::kNone);
  if (words[2] != kNoJob) token.job = std::string(words[2]);
  if (absl::Status checked = CheckToken(token); !checked.ok()) return checked;
  return token;
}

}  // namespace cox::access
