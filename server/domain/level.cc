#include "domain/level.h"

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::domain {

absl::string_view LevelName(Level level) {
  switch (level) {
    case Level::kSelf:
      return "self";
    case Level::kNode:
      return "node";
    case Level::kSocket:
      return "socket";
    case Level::kNetwork:
      return "network";
  }
  return "";
}

absl::StatusOr<Level> ParseLevel(absl::string_view name) {
  for (Level level : {Level::kSelf, Level::kNode, Level::kSocket, Level::kNetwork}) {
    if (name == LevelName(level)) return level;
  }
  return InvalidField("level", absl::StrCat("\"", name, "\" is not self, node, socket or network"));
}

}  // namespace cox::domain
