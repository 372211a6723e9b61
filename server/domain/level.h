// A class of communication distance, with parameters of its own. Pure, any thread.
#ifndef COX_DOMAIN_LEVEL_H_
#define COX_DOMAIN_LEVEL_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// kNode: messages inside a node, whether or not they cross its sockets. kSocket: between the
// sockets of a node.
enum class Level { kSelf, kNode, kSocket, kNetwork };

// "self", "node", "socket", "network", and back (INVALID_ARGUMENT, field "level").
absl::string_view LevelName(Level level);
absl::StatusOr<Level> ParseLevel(absl::string_view name);

}  // namespace cox::domain

#endif  // COX_DOMAIN_LEVEL_H_
