#include "domain/drift.h"

namespace cox::domain {

bool DriftScope::Holds(absl::string_view of_library, absl::string_view of_collective, int64_t nodes,
                       int64_t block_bytes) const {
  return (library.empty() || library == of_library) &&
         (collective.empty() || collective == of_collective) &&
         (level == Level::kNetwork) == (nodes > 1) && block_bytes >= min_block_bytes &&
         block_bytes <= max_block_bytes;
}

}  // namespace cox::domain
