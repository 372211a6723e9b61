// Many-to-many, for cox_imany and for patterns.
#ifndef COX_COLLECTIVES_PROTOCOLS_MANY_H_
#define COX_COLLECTIVES_PROTOCOLS_MANY_H_

#include <memory>
#include <span>
#include <vector>

#include "collectives/choice/algorithm_name.h"
#include "collectives/choice/personalised.h"
#include "collectives/engine/operation.h"
#include "collectives/protocols/routed_messages.h"

namespace cox::collectives {

inline constexpr AlgorithmRow kManyRows[] = {kDirectRow, kMesh2dRow, kGrid3dRow, kHypercubeRow};

// Checks `count` messages of the program for one of `ranks` ranks (MPI_ERR_COUNT, MPI_ERR_RANK,
// MPI_ERR_BUFFER, MPI_ERR_ARG).
int CheckMessages(const cox_message messages[], int count, int ranks);

// Makes the protocol of one of kManyRows. It puts what arrives into the operation's inbox, which
// must exist. Copies `messages`, but not their data.
std::unique_ptr<Protocol> MakeMany(const AlgorithmChoice& choice, Channel& channel,
                                   std::span<const cox_message> messages);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_MANY_H_
