#include "servers/user_number.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "accounts/accounts.h"

namespace cox::servers {

std::optional<uid_t> UserNumber(const std::string& name) {
  uid_t user = 0;
  if (absl::SimpleAtoi(name, &user)) {
    return user == static_cast<uid_t>(-1) ? std::nullopt : std::optional(user);
  }
  const std::optional<accounts::User> found = accounts::FindUser(name);
  return found ? std::optional(found->number) : std::nullopt;
}

std::string UserText(uid_t number) {
  const std::optional<accounts::User> found = accounts::FindUser(number);
  return found ? absl::StrCat(found->name, " (", number, ")") : absl::StrCat(number);
}

}  // namespace cox::servers
