// The binomial tree of bcast/binomial: in round i every rank that has the message sends it to the
// rank 2^i further on. All code takes parents and children from here. Pure values, any thread,
// O(1).
//
// Source: Open MPI v4.1.4, coll/base: topo_build_bmtree.
#ifndef COX_TOPOLOGY_NEAR_TREE_H_
#define COX_TOPOLOGY_NEAR_TREE_H_

#include <cstdint>

#include "topology/powers_of_two.h"

namespace cox::topology {

struct NearTree {
  int64_t ranks;  // >= 1
  int64_t root;   // 0 .. ranks - 1

  // The child of `rank` in the round of this distance (a power of two); -1 if it has none.
  int64_t ChildAt(int64_t rank, int64_t distance) const {
    const int64_t v = (rank - root + ranks) % ranks;
    return v < distance && v + distance < ranks ? (rank + distance) % ranks : -1;
  }

  // The parent of `rank`; -1 for the root.
  int64_t ParentOf(int64_t rank) const {
    const int64_t v = (rank - root + ranks) % ranks;
    if (v == 0) return -1;
    return (rank - LargestPowerOfTwo(v) + ranks) % ranks;
  }
};

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_NEAR_TREE_H_
