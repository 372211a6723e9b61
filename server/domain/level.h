// A class of communication distance, with parameters of its own. Pure, any thread.
#ifndef COX_DOMAIN_LEVEL_H_
#define COX_DOMAIN_LEVEL_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

enum class Level { kSelf, kNode, kNetwork };

// "self", "node", "network", and back (INVALID_ARGUMENT, field "level").
absl::string_view LevelName(Level level);
absl::StatusOr<Level> ParseLevel(absl::string_view name);

}  // namespace cox::domain

#endif  // COX_DOMAIN_LEVEL_H_
