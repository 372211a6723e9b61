// Tokens of Slurm. The first byte says whether the rest is the token itself, which then is never
// good, or its claims, which the harness signs.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "access/slurm_key.h"
#include "expect.h"
#include "folder.h"
#include "jwt.h"

using cox::access::SlurmKey;
using cox::fuzz::Expect;

namespace {

constexpr int64_t kNow_us = 1'700'000'000'000'000;
const std::string& Key() {
  static const std::string kKey(32, 'k');
  return kKey;
}

const SlurmKey& Site() {
  static const cox::fuzz::Folder kFolder;
  static const auto kSite = SlurmKey::Open(kFolder.Write("key", Key()), [] { return kNow_us; });
  Expect(kSite.ok(), "no key");
  return **kSite;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    Expect(!Site().Verify(text).has_value(), "a token without a signature is good");
    return 0;
  }
  const auto bearer = Site().Verify(cox::SignJwt(cox::kJwtHeader, text, Key()));
  if (!bearer.has_value()) return 0;
  Expect(!bearer->user.empty(), "a token of nobody is good");
  Expect(bearer->expire_time_us > kNow_us, "an expired token is good");
  Expect(!Site().Verify(cox::SignJwt(R"({"alg":"none"})", text, Key())).has_value(),
         "a token that names no algorithm is good");
  return 0;
}
