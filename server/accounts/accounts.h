// Looks up users and groups in the system's databases (passwd, LDAP, systemd).
//
// The daemon's roles and the clients' checks of a socket's owner use it. Any thread; may wait for a
// network. Nothing is found, too, when the database does not answer.
#ifndef COX_ACCOUNTS_ACCOUNTS_H_
#define COX_ACCOUNTS_ACCOUNTS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace cox::accounts {

struct User {
  uid_t number = 0;
  std::string name;
  gid_t group = 0;  // its own one
};

struct Group {
  gid_t number = 0;
  std::vector<std::string> members;  // names of users: without those whose own group it is
};

std::optional<User> FindUser(const std::string& name);
std::optional<User> FindUser(uid_t number);
std::optional<Group> FindGroup(const std::string& name);
std::optional<Group> FindGroup(gid_t number);

}  // namespace cox::accounts

#endif  // COX_ACCOUNTS_ACCOUNTS_H_
