// How a machine's processors are connected, as far as a model sees it: the width of a cut into
// halves and the mean distance between two processors. Pure functions, any thread.
#ifndef COX_MODEL_EXTENT_H_
#define COX_MODEL_EXTENT_H_

#include <cstdint>
#include <vector>

#include "domain/shape.h"

namespace cox::model {

// A network, or a part of one that is like the whole.
struct Extent {
  double processors_count = 0;  // 0: not stated
  double bisection_links = 1;   // links that a cut into halves crosses, >= 1
  double distance_hops = 0;     // mean distance between two processors
};

// The network that joins `processors` (>= 1) processors of such a machine, in d dimensions of sides
// n_1 .. n_d (shape.dims where their product is `processors`; otherwise as many equal sides, two if
// there are no dims; a dragonfly's first dim is its number of groups g, otherwise sqrt(p)):
//
//   crossbar    b = p / 2          h = 1            every pair has a path of its own
//   bus         b = 1              h = 1            one link for all
//   mesh        b = p / max n_i    h = sum n_i / 3  C3 section 3 for two equal sides
//   torus       b = 2 p / max n_i  h = sum n_i / 4  rings: two links cut, shorter ways
//   hypercube   b = floor(p / 2)   h = log2(p) / 2  C3 section 3
//   tree        b = 1              h = log2(p)      C3 section 3
//   fat-tree    b = p / 2          h = log2(p)      a tree whose links widen towards the root
//   dragonfly   b = g^2 / 4        h = 3 - 2 / g    a link between any two of g groups
//
// C3 is S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines. What the paper does not give follows from counting links and paths. b is at
// least 1; one processor alone has b = 1, h = 0.
Extent ExtentOf(const domain::Shape& shape, int64_t processors);

}  // namespace cox::model

#endif  // COX_MODEL_EXTENT_H_
