#include "access/role.h"

#include <cstddef>
#include <iterator>

namespace cox::access {
namespace {

// In the order of Role.
constexpr absl::string_view kNames[] = {"none", "viewer", "reporter", "operator", "admin"};

}  // namespace

absl::string_view RoleName(Role role) { return kNames[static_cast<size_t>(role)]; }

std::optional<Role> ParseRole(absl::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace cox::access
