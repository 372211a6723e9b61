// Chooses the algorithm of a many-to-many by the largest load of the previous one on the
// communicator, which all ranks know without further messages. The first one uses a reduction.
// While the previous one runs, the choice waits for it.
#ifndef COX_COLLECTIVES_CHOICE_MANY_CHOICE_H_
#define COX_COLLECTIVES_CHOICE_MANY_CHOICE_H_

#include <functional>
#include <memory>

#include "collectives/choice/largest_load.h"
#include "collectives/engine/agreement.h"
#include "collectives/engine/operation.h"
#include "collectives/protocols/many_memory.h"

namespace cox::collectives {

// former: of the previous many-to-many; null if there is none. own: this rank's load. choose:
// called once, with the same load on all ranks. The operation fails if the previous one has failed.
std::unique_ptr<Protocol> MakeManyChoice(std::shared_ptr<const ManyMemory> former,
                                         const LargestLoad& own,
                                         std::function<Chosen(const LargestLoad& largest)> choose);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_MANY_CHOICE_H_
