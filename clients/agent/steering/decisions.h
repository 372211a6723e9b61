// The decision table of a job as every rank keeps it: per collective, from which block size on the
// library is told which number (library/run_time_number.h), or our own library runs in its place
// which algorithm. Filled once, on rank 0, sent to the
// others as it lies in memory, and only read from then on.
//
// Pure. Any thread once it is filled; cannot fail, allocates nothing.
#ifndef COX_AGENT_STEERING_DECISIONS_H_
#define COX_AGENT_STEERING_DECISIONS_H_

#include <string.h>

#include <cstdint>

#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

class Decisions {
 public:
  static constexpr int kMostRows = 32;      // per collective; what has more is left to the library
  static constexpr int kMostNumber = 31;    // what a key has room for
  static constexpr int kFirstCoxcoll = 16;  // numbers from this one on are our own library's
  static constexpr int kNameBytes = 32;     // of an algorithm of our own with its knob, and its end

  // From this size on; number 0: as the library wants. Ascending sizes per collective. `name`: of
  // our own library's algorithm, for its numbers.
  void Add(int32_t collective, int64_t from_bytes, int32_t number, const char* name = "") {
    if (collective < 0 || collective >= domain::kCollectiveCount) return;
    Rows& rows = rows_[collective];
    const bool has_name = number < kFirstCoxcoll || SetName(collective, number, name);
    const bool fits = number >= 0 && number <= kMostNumber && has_name && rows.count < kMostRows &&
                      (rows.count == 0 || from_bytes > rows.row[rows.count - 1].from_bytes);
    if (!fits) rows = {.count = 0, .broken = true, .decides = false, .row = {}};
    if (rows.broken) return;
    rows.row[rows.count++] = {from_bytes, number};
    rows.decides = rows.decides || number != 0;
  }

  // The number for a block of so many bytes; 0: as the library wants.
  int Find(domain::Collective collective, int64_t block_bytes) const {
    const Rows& rows = rows_[static_cast<int>(collective)];
    int number = 0;
    for (int i = 0; i < rows.count && rows.row[i].from_bytes <= block_bytes; ++i) {
      number = rows.row[i].number;
    }
    return number;
  }

  // Whether any size of a collective is decided.
  bool Has(domain::Collective collective) const {
    return rows_[static_cast<int>(collective)].decides;
  }
  bool HasAny() const {
    for (int i = 0; i < domain::kCollectiveCount; ++i) {
      if (Has(static_cast<domain::Collective>(i))) return true;
    }
    return false;
  }

  // Our own library's algorithm of a number from kFirstCoxcoll on.
  const char* NameOf(domain::Collective collective, int number) const {
    return coxcoll_name_[static_cast<int>(collective)][number - kFirstCoxcoll];
  }

  // Whether our own library has a part in it.
  bool HasCoxcoll() const {
    for (const Rows& rows : rows_) {
      for (int i = 0; i < rows.count; ++i) {
        if (rows.row[i].number >= kFirstCoxcoll) return true;
      }
    }
    return false;
  }

  // Leaves to the library what our own would have done.
  void DropCoxcoll() {
    for (Rows& rows : rows_) {
      rows.decides = false;
      for (int i = 0; i < rows.count; ++i) {
        if (rows.row[i].number >= kFirstCoxcoll) rows.row[i].number = 0;
        rows.decides = rows.decides || rows.row[i].number != 0;
      }
    }
  }

  // Leaves a collective to the library.
  void Forget(domain::Collective collective) { rows_[static_cast<int>(collective)] = {}; }

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
  // False for a number or a name that there is no room for.
  bool SetName(int collective, int number, const char* name) {
    const size_t length = strnlen(name, kNameBytes);
    if (number > kMostNumber || length == 0 || length == kNameBytes) return false;
    char* const to = coxcoll_name_[collective][number - kFirstCoxcoll];
    for (size_t i = 0; i < length; ++i) to[i] = name[i];
    to[length] = '\0';
    return true;
  }

  Rows rows_[domain::kCollectiveCount] = {};
  char coxcoll_name_[domain::kCollectiveCount][kMostNumber - kFirstCoxcoll + 1][kNameBytes] = {};
  bool any_order_ = false;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_DECISIONS_H_
