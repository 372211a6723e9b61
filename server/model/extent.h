// How a machine's nodes are connected, as far as a model sees it: the width of a cut into
// halves and the mean distance between two nodes. Pure functions, any thread.
#ifndef COX_MODEL_EXTENT_H_
#define COX_MODEL_EXTENT_H_

#include <cstdint>
#include <vector>

#include "domain/shape.h"

namespace cox::model {

// A network, or a part of one that is like the whole.
struct Extent {
  double processors_count = 0;  // ranks on these nodes; 0: not stated
  double bisection_links = 1;   // links that a cut of the nodes into halves crosses, >= 1
  double distance_hops = 0;     // mean distance between two nodes
};

// The network that joins n = `nodes` (>= 1) nodes of such a machine, in d dimensions of sides
// n_1 .. n_d: shape.dims if their product is n; otherwise as many equal sides, two if there are no
// dims. A dragonfly's first dim is its groups g (one dim alone: up to n); otherwise g is sqrt(n).
//
//   crossbar    b = n / 2          h = 1            every pair has a path of its own
//   bus         b = 1              h = 1            one link for all
//   mesh        b = n / max n_i    h = sum n_i / 3  C3 section 3 for two equal sides
//   torus       b = 2 n / max n_i  h = sum n_i / 4  rings: two links cut, shorter ways
//   hypercube   b = floor(n / 2)   h = log2(n) / 2  C3 section 3
//   tree        b = 1              h = log2(n)      C3 section 3
//   fat-tree    b = n / 2          h = log2(n)      a tree whose links widen towards the root
//   dragonfly   b = g^2 / 4        h = 3 - 2 / g    a link between any two of g groups
//
// C3 is S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines. What the paper does not give follows from counting links and paths. b is at
// least 1; one node alone has b = 1, h = 0. processors_count is n, one rank on each node: a caller
// with more ranks per node sets it.
Extent ExtentOf(const domain::Shape& shape, int64_t nodes);

}  // namespace cox::model

#endif  // COX_MODEL_EXTENT_H_
