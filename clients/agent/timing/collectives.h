// Which collectives libcoxcoll can run. Shared by the agent and its streaming plugin; no MPI
// header, any thread, cannot fail.
#ifndef COX_AGENT_TIMING_COLLECTIVES_H_
#define COX_AGENT_TIMING_COLLECTIVES_H_

#include "domain/collective.h"

namespace cox::agent {

// Whether libcoxcoll (cox/coll.h) can run a collective in place of the MPI library: those with a
// size that all ranks know.
constexpr bool CanBeReplaced(domain::Collective collective) {
  return collective == domain::Collective::kAlltoall || collective == domain::Collective::kBcast ||
         collective == domain::Collective::kGather || collective == domain::Collective::kScatter;
}

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_COLLECTIVES_H_
