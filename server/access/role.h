// What a caller may do. Pure; any thread.
#ifndef COX_ACCESS_ROLE_H_
#define COX_ACCESS_ROLE_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace cox::access {

// Ascending: each role may do everything that the roles before it may do.
enum class Role { kNone, kViewer, kReporter, kOperator, kAdmin };

// "none", "viewer", "reporter", "operator", "admin".
absl::string_view RoleName(Role role);
// nullopt: no such name.
std::optional<Role> ParseRole(absl::string_view name);

}  // namespace cox::access

#endif  // COX_ACCESS_ROLE_H_
