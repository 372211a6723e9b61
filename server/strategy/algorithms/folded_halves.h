// The first steps of Rabenseifner's algorithms if the number of ranks is not a power of two. Only
// allreduce.cc and reduce.cc use these.
//
// Source: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004; as in MPICH
// v4.0.2, src/mpi/coll.
#ifndef COX_STRATEGY_ALGORITHMS_FOLDED_HALVES_H_
#define COX_STRATEGY_ALGORITHMS_FOLDED_HALVES_H_

#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {

// Among the first 2 x fold.folded ranks, pairs exchange halves of a vector of `bytes` bytes and
// combine them. Then the odd ranks send their half to the even ones, which continue. Adds nothing
// if no rank is folded.
void AddFoldedHalves(const Nodes& nodes, const Fold& fold, double bytes, Steps* steps);
void EnumerateFoldedHalves(const Fold& fold, double bytes, Enumeration* out);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_FOLDED_HALVES_H_
