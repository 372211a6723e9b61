// The links between a job's nodes in a torus. Pure; any thread.
#ifndef COX_ADVISE_PLACEMENT_TORUS_LINKS_H_
#define COX_ADVISE_PLACEMENT_TORUS_LINKS_H_

#include <vector>

#include "advise/placement/network.h"

namespace cox::advise {

// `dims`: nodes in each dimension, each above 0; `places`: of the job's nodes, the first dimension
// changing fastest. Every link has the width of one: a node has two in each dimension, one in a
// dimension of two nodes. A message's latency grows by `hop_time_s` for each link after the first.
// bisection_links: cuts are those across one dimension, with all of the machine's links there.
NodesInUse UseTorus(const std::vector<int>& dims, const std::vector<int>& places,
                    double hop_time_s);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_TORUS_LINKS_H_
