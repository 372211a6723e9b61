#include "accounts/accounts.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <cstddef>

namespace cox::accounts {
namespace {

constexpr size_t kLeastTextBytes = 4'096;
constexpr size_t kMostTextBytes = size_t{16} << 20;  // groups have many members

// Looks up an entry with `function`, getpwnam_r() or one of its like, and returns what `copy` makes
// of it.
template <typename Entry, typename Key, typename Copy>
auto LookUp(int (*function)(Key, Entry*, char*, size_t, Entry**), Key key, const Copy& copy)
    -> std::optional<decltype(copy(Entry()))> {
  std::vector<char> texts;  // to which the entry points
  int error = ERANGE;
  for (size_t bytes = kLeastTextBytes; error == ERANGE && bytes <= kMostTextBytes; bytes *= 4) {
    texts.resize(bytes);
    Entry entry{};
    Entry* found = nullptr;
    error = function(key, &entry, texts.data(), bytes, &found);
    if (error == 0 && found != nullptr) return copy(entry);
  }
  return std::nullopt;
}

User CopyUser(const passwd& entry) {
  return {.number = entry.pw_uid, .name = entry.pw_name, .group = entry.pw_gid};
}

Group CopyGroup(const group& entry) {
  Group copied = {.number = entry.gr_gid, .members = {}};
  for (char** member = entry.gr_mem; member != nullptr && *member != nullptr; ++member) {
    copied.members.emplace_back(*member);
  }
  return copied;
}

}  // namespace

std::optional<User> FindUser(const std::string& name) {
  return LookUp<passwd, const char*>(getpwnam_r, name.c_str(), CopyUser);
}

std::optional<User> FindUser(uid_t number) {
  return LookUp<passwd, uid_t>(getpwuid_r, number, CopyUser);
}

std::optional<Group> FindGroup(const std::string& name) {
  return LookUp<group, const char*>(getgrnam_r, name.c_str(), CopyGroup);
}

std::optional<Group> FindGroup(gid_t number) {
  return LookUp<group, gid_t>(getgrgid_r, number, CopyGroup);
}

}  // namespace cox::accounts
