// Who has timed an algorithm, and at which calls: tells what a single untrusted reporter could have
// made up. Pure; any thread may read.
#ifndef COX_LEARN_CORRECT_TRUST_REPORTERS_H_
#define COX_LEARN_CORRECT_TRUST_REPORTERS_H_

#include <cstdint>
#include <tuple>

#include "absl/container/btree_map.h"
#include "domain/cell_key.h"

namespace cox::learn {

class Reporters {
 public:
  // `only_reporter` as in Cell. Several additions of one call are one place. O(log n).
  void Add(const domain::ScenarioKey& call, int64_t only_reporter);

  // Whether one reporter alone has timed the calls next to this one: of the same nodes, ppn and
  // ranks that of its size, or else those of the next smaller and the next larger size. Where
  // nobody has timed these nodes, ppn and ranks: all calls. False without any call. O(log n).
  bool IsOneAt(int64_t nodes, int64_t ppn, int64_t ranks, int64_t block_bytes) const;

 private:
  // Nodes, ppn, ranks, block_bytes.
  using Place = std::tuple<int64_t, int64_t, int64_t, int64_t>;

  absl::btree_map<Place, int64_t> places_;  // the only reporter; 0: there are several
  int64_t of_all_ = 0;                      // the same of all places
  bool has_one_ = false;                    // some place has one
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_TRUST_REPORTERS_H_
