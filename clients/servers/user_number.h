// The number of a user whom a setting names. Any thread; asks the system's database of users.
#ifndef COX_SERVERS_USER_NUMBER_H_
#define COX_SERVERS_USER_NUMBER_H_

#include <sys/types.h>

#include <optional>
#include <string>

namespace cox::servers {

// `name` is a user's name or number. nullopt: this host has no such user; or the number is the
// greatest one, which is no user.
std::optional<uid_t> UserNumber(const std::string& name);

// The name of user `number` for people: "ada (1000)", or "1000" without a name here.
std::string UserText(uid_t number);

}  // namespace cox::servers

#endif  // COX_SERVERS_USER_NUMBER_H_
