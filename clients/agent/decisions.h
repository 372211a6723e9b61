// The decision table of a job as every rank keeps it: per collective, from which block size on the
// library is told which number (library/run_time_number.h). Filled once, on rank 0, sent to the
// others as it lies in memory, and only read from then on.
//
// Pure. Any thread once it is filled; cannot fail, allocates nothing.
#ifndef COX_AGENT_DECISIONS_H_
#define COX_AGENT_DECISIONS_H_

#include <cstdint>

#include "agent/collectives.h"

namespace cox::agent {

class Decisions {
 public:
  static constexpr int kMostRows = 32;    // per collective; what has more is left to the library
  static constexpr int kMostNumber = 15;  // what a key has room for

  // From this size on; number 0: as the library wants. Ascending sizes per collective.
  void Add(int32_t collective, int64_t from_bytes, int32_t number) {
    if (collective < 0 || collective >= kCollectiveCount) return;
    Rows& rows = rows_[collective];
    const bool fits = number >= 0 && number <= kMostNumber && rows.count < kMostRows &&
                      (rows.count == 0 || from_bytes > rows.row[rows.count - 1].from_bytes);
    if (!fits) rows = {.count = 0, .broken = true, .decides = false, .row = {}};
    if (rows.broken) return;
    rows.row[rows.count++] = {from_bytes, number};
    rows.decides = rows.decides || number != 0;
  }

  // The number for a block of so many bytes; 0: as the library wants.
  int Find(Collective collective, int64_t block_bytes) const {
    const Rows& rows = rows_[static_cast<int>(collective)];
    int number = 0;
    for (int i = 0; i < rows.count && rows.row[i].from_bytes <= block_bytes; ++i) {
      number = rows.row[i].number;
    }
    return number;
  }

  // Whether any size of a collective is decided.
  bool Has(Collective collective) const { return rows_[static_cast<int>(collective)].decides; }
  bool HasAny() const {
    for (int i = 0; i < kCollectiveCount; ++i) {
      if (Has(static_cast<Collective>(i))) return true;
    }
    return false;
  }

  // Leaves a collective to the library.
  void Forget(Collective collective) { rows_[static_cast<int>(collective)] = {}; }

  // Whether reductions of floating-point numbers may be steered, too: another algorithm adds them
  // up in another order.
  bool any_order() const { return any_order_; }
  void set_any_order(bool any_order) { any_order_ = any_order; }

 private:
  struct Row {
    int64_t from_bytes;
    int64_t number;
  };
  struct Rows {
    int32_t count;
    bool broken;   // more rows than fit, or in disorder
    bool decides;  // any number
    Row row[kMostRows];
  };
  Rows rows_[kCollectiveCount] = {};
  bool any_order_ = false;
};

}  // namespace cox::agent

#endif  // COX_AGENT_DECISIONS_H_
