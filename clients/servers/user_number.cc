#include "servers/user_number.h"

#include <pwd.h>

#include <array>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cox::servers {
namespace {

constexpr size_t kEntryBytes = 16'384;

}  // namespace

std::optional<uid_t> UserNumber(const std::string& name) {
  uid_t user = 0;
  if (absl::SimpleAtoi(name, &user)) {
    return user == static_cast<uid_t>(-1) ? std::nullopt : std::optional(user);
  }
  std::array<char, kEntryBytes> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return std::nullopt;
  }
  return found->pw_uid;
}

std::string UserText(uid_t number) {
  std::array<char, kEntryBytes> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(number, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return absl::StrCat(number);
  }
  return absl::StrCat(found->pw_name, " (", number, ")");
}

}  // namespace cox::servers
