// What a many-to-many that chooses leaves to the next one: the largest load, which its own messages
// have told to all ranks. Under the lock of progress_engine.h.
#ifndef COX_COLLECTIVES_PROTOCOLS_MANY_MEMORY_H_
#define COX_COLLECTIVES_PROTOCOLS_MANY_MEMORY_H_

#include <memory>
#include <optional>

#include "collectives/choice/largest_load.h"

namespace cox::collectives {

class Operation;

struct ManyMemory {
  std::optional<LargestLoad> largest;  // set when it is complete
  std::weak_ptr<Operation> operation;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_MANY_MEMORY_H_
