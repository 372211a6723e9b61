// The file of tokens: what is read is written back as the same tokens, and an error never tells a
// hash.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "access/token.h"
#include "access/tokens.h"
#include "expect.h"
#include "folder.h"

using cox::access::Token;
using cox::fuzz::Expect;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::StatusOr<Token> token = cox::access::ParseTokenLine(line);
    if (!token.ok()) continue;
    Expect(cox::access::CheckToken(*token).ok(), "a token that nobody could make");
    const absl::StatusOr<Token> again = cox::access::ParseTokenLine(cox::access::TokenLine(*token));
    Expect(again.ok(), "a written line cannot be read");
    Expect(again->name == token->name && again->role == token->role && again->job == token->job &&
               again->create_time_us == token->create_time_us &&
               again->expire_time_us == token->expire_time_us && again->hash == token->hash,
           "another token the second time");
  }
  static const cox::fuzz::Folder kFolder;
  const auto tokens = cox::access::Tokens::Open(kFolder.Write("tokens", text), [] { return 1; });
  if (tokens.ok()) {
    for (const Token& token : (*tokens)->List()) {
      Expect(!(*tokens)->Find("cox." + token.name + ".0").has_value(), "a forged token is good");
    }
  }
  return 0;
}
