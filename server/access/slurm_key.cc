#include "access/slurm_key.h"

#include <jwt.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace cox::access {
namespace {

constexpr absl::string_view kKeyPrefix = "SLURM_JWT=";
// HS256 is no stronger than its key. Slurm's own have 32 bytes or more.
constexpr std::streamsize kMinKeyBytes = 16;
constexpr std::streamsize kMaxKeyBytes = 4'096;
constexpr size_t kMaxTokenBytes = 4'096;
constexpr size_t kMaxUserBytes = 256;
constexpr int64_t kClockDifference_s = 60;
constexpr int64_t kJwtMicrosPerSecond = 1'000'000;

absl::Status WrongKey(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("slurm-jwt-key: ", path, ": ", why));
}

struct FreeJwt {
  void operator()(jwt_t* token) const { jwt_free(token); }
};
using Jwt = std::unique_ptr<jwt_t, FreeJwt>;

// Null unless the key signed it.
Jwt Decode(const std::string& text, const std::string& key) {
  jwt_t* token = nullptr;
  const int error =
      jwt_decode(&token, text.c_str(), reinterpret_cast<const unsigned char*>(key.data()),
                 static_cast<int>(key.size()));
  Jwt owned(error == 0 ? token : nullptr);
  // The key of one method must not serve another.
  return owned != nullptr && jwt_get_alg(owned.get()) == JWT_ALG_HS256 ? std::move(owned) : nullptr;
}

// A whole number > 0; nullopt: the token has none.
std::optional<int64_t> Seconds(jwt_t* token, const char* claim) {
  const long seconds = jwt_get_grant_int(token, claim);
  return seconds > 0 && seconds < std::numeric_limits<int64_t>::max() / kJwtMicrosPerSecond
             ? std::optional<int64_t>(seconds)
             : std::nullopt;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SlurmKey>> SlurmKey::Open(const std::string& path, Clock clock) {
  std::unique_ptr<SlurmKey> key(new SlurmKey(path, std::move(clock)));
  if (absl::Status read = key->Refresh(); !read.ok()) return read;
  return key;
}

absl::Status SlurmKey::Refresh() {
  std::ifstream file(path_, std::ios::binary);
  struct stat status {};
  if (!file || stat(path_.c_str(), &status) != 0) return WrongKey(path_, std::strerror(errno));
  if ((status.st_mode & S_IRWXO) != 0) {
    return WrongKey(path_, "every user may read or write it; run chmod o-rwx");
  }
  std::string bytes(kMaxKeyBytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.gcount() < kMinKeyBytes || file.gcount() > kMaxKeyBytes) {
    return WrongKey(path_,
                    absl::StrCat("a key has ", kMinKeyBytes, " to ", kMaxKeyBytes, " bytes"));
  }
  bytes.resize(static_cast<size_t>(file.gcount()));
  const std::shared_ptr<const Key> old = key_.load(std::memory_order_acquire);
  if (bytes == old->bytes) return absl::OkStatus();
  key_.store(std::make_shared<const Key>(Key{std::move(bytes), old->number + 1}),
             std::memory_order_release);
  return absl::OkStatus();
}

std::optional<SlurmKey::Bearer> SlurmKey::Verify(absl::string_view text) const {
  absl::ConsumePrefix(&text, kKeyPrefix);
  if (text.size() > kMaxTokenBytes || absl::StrContains(text, '\0')) return std::nullopt;
  const std::shared_ptr<const Key> key = key_.load(std::memory_order_acquire);
  const Jwt token = Decode(std::string(text), key->bytes);
  if (token == nullptr) return std::nullopt;
  const char* const user = jwt_get_grant(token.get(), "sun");
  const std::optional<int64_t> issued_s = Seconds(token.get(), "iat");
  const std::optional<int64_t> expires_s = Seconds(token.get(), "exp");
  const int64_t now_us = clock_();
  if (user == nullptr || *user == '\0' || std::strlen(user) > kMaxUserBytes || !issued_s ||
      !expires_s || *issued_s > now_us / kJwtMicrosPerSecond + kClockDifference_s ||
      *expires_s * kJwtMicrosPerSecond <= now_us) {
    return std::nullopt;
  }
  return Bearer{
      .user = user, .expire_time_us = *expires_s * kJwtMicrosPerSecond, .key_number = key->number};
}

bool SlurmKey::IsGood(const Bearer& bearer) const {
  return bearer.expire_time_us > clock_() &&
         bearer.key_number == key_.load(std::memory_order_acquire)->number;
}

}  // namespace cox::access
