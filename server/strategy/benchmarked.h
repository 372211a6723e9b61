// Which collectives cox-bench times. Suggestions of measurements keep to them, and the command line
// names the others. Pure; any thread.
#ifndef COX_STRATEGY_BENCHMARKED_H_
#define COX_STRATEGY_BENCHMARKED_H_

#include "domain/collective.h"

namespace cox::strategy {

// The same as bench::CollectiveNames(); a test compares them.
constexpr bool IsBenchmarked(domain::Collective collective) {
  switch (collective) {
    case domain::Collective::kAllgather:
    case domain::Collective::kAllreduce:
    case domain::Collective::kAlltoall:
    case domain::Collective::kBcast:
    case domain::Collective::kGather:
    case domain::Collective::kReduce:
    case domain::Collective::kReduceScatterBlock:
    case domain::Collective::kScatter:
      return true;
    default:
      return false;
  }
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_BENCHMARKED_H_
