// The choice of the algorithm of a many-to-many: by the largest load of the one before it on the
// communicator, which is the same on all ranks and costs nothing to know; of the first one, by a
// reduction. While the one before is under way the choice waits for it.
#ifndef COX_COLLECTIVES_CHOICE_MANY_CHOICE_H_
#define COX_COLLECTIVES_CHOICE_MANY_CHOICE_H_

#include <functional>
#include <memory>

#include "collectives/choice/largest_load.h"
#include "collectives/engine/agreement.h"
#include "collectives/engine/operation.h"
#include "collectives/protocols/many_memory.h"

namespace cox::collectives {

// former: of the many-to-many before; null if there was none. own: this rank's load. choose: called
// once, with the same on all ranks. The operation fails where the former one has.
std::unique_ptr<Protocol> MakeManyChoice(std::shared_ptr<const ManyMemory> former,
                                         const LargestLoad& own,
                                         std::function<Chosen(const LargestLoad& largest)> choose);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_MANY_CHOICE_H_
