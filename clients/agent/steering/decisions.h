// A job's decision table, as every rank has it. It maps block-size ranges of each collective to an
// algorithm number of the MPI library (library/run_time_number.h) or an algorithm of libcoxcoll.
// Rank 0 fills it once and sends its bytes to the others. From then on it is read-only.
//
// Pure. Any thread once it is filled; cannot fail, allocates nothing.
#ifndef COX_AGENT_STEERING_DECISIONS_H_
#define COX_AGENT_STEERING_DECISIONS_H_

#include <string.h>

#include <cstdint>

#include "agent/steering/canaries.h"
#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

class Decisions {
 public:
  static constexpr int kMostRows = 32;      // per collective; with more rows the library chooses
  static constexpr int kMostNumber = 31;    // limit of a table key (timing/table.h)
  static constexpr int kFirstCoxcoll = 16;  // from this number on: libcoxcoll's algorithms
  static constexpr int kNameBytes = 32;     // libcoxcoll's algorithm with its knob and the final 0

  // Selects `number` from this size on; 0: the library chooses. Add each collective's sizes in
  // ascending order. `name`: libcoxcoll's algorithm, for its numbers. A row that breaks a limit
  // drops the collective from the table.
  void Add(int32_t collective, int64_t from_bytes, int32_t number, const char* name = "") {
    if (collective < 0 || collective >= domain::kCollectiveCount) return;
    Rows& rows = rows_[collective];
    const bool has_name = number < kFirstCoxcoll || SetName(collective, number, name);
    const bool fits = from_bytes >= 0 && number >= 0 && number <= kMostNumber && has_name &&
                      rows.count < kMostRows &&
                      (rows.count == 0 || from_bytes > rows.row[rows.count - 1].from_bytes);
    if (!fits) rows = {.count = 0, .broken = true, .decides = false, .row = {}};
    if (rows.broken) return;
    rows.row[rows.count++] = {from_bytes, number};
    rows.decides = rows.decides || number != 0;
  }

  // The row for a block of that size; -1: there is none.
  int FindRow(domain::Collective collective, int64_t block_bytes) const {
    const Rows& rows = rows_[static_cast<int>(collective)];
    int row = -1;
    while (row + 1 < rows.count && rows.row[row + 1].from_bytes <= block_bytes) ++row;
    return row;
  }

  // The number of a row that FindRow() gave; 0: the library chooses.
  int NumberAt(domain::Collective collective, int row) const {
    return row < 0 ? 0 : static_cast<int>(rows_[static_cast<int>(collective)].row[row].number);
  }
  // The row's first size.
  int64_t FromBytes(domain::Collective collective, int row) const {
    return rows_[static_cast<int>(collective)].row[row].from_bytes;
  }

  // The number for a block of that size; 0: the library chooses.
  int Find(domain::Collective collective, int64_t block_bytes) const {
    return NumberAt(collective, FindRow(collective, block_bytes));
  }

  // Leaves the sizes of a row to the library.
  void Withdraw(domain::Collective collective, int row) {
    Rows& rows = rows_[static_cast<int>(collective)];
    rows.row[row].number = 0;
    rows.decides = false;
    for (int i = 0; i < rows.count; ++i) {
      rows.decides = rows.decides || rows.row[i].number != 0;
    }
  }

  // Whether the table selects an algorithm for any size of a collective.
  bool Has(domain::Collective collective) const {
    return rows_[static_cast<int>(collective)].decides;
  }
  bool HasAny() const {
    for (int i = 0; i < domain::kCollectiveCount; ++i) {
      if (Has(static_cast<domain::Collective>(i))) return true;
    }
    return false;
  }

  // libcoxcoll's algorithm for a number from kFirstCoxcoll on.
  const char* NameOf(domain::Collective collective, int number) const {
    return coxcoll_name_[static_cast<int>(collective)][number - kFirstCoxcoll];
  }

  // Whether the table names libcoxcoll's algorithms.
  bool HasCoxcoll() const {
    for (const Rows& rows : rows_) {
      for (int i = 0; i < rows.count; ++i) {
        if (rows.row[i].number >= kFirstCoxcoll) return true;
      }
    }
    return false;
  }

  // Removes libcoxcoll's algorithms: the MPI library chooses there.
  void DropCoxcoll() {
    for (Rows& rows : rows_) {
      rows.decides = false;
      for (int i = 0; i < rows.count; ++i) {
        if (rows.row[i].number >= kFirstCoxcoll) rows.row[i].number = 0;
        rows.decides = rows.decides || rows.row[i].number != 0;
      }
    }
  }

  // Removes a collective: the library chooses.
  void Forget(domain::Collective collective) { rows_[static_cast<int>(collective)] = {}; }

  // Whether reductions may be steered whose result depends on the order.
  bool any_order() const { return any_order_; }
  void set_any_order(bool any_order) { any_order_ = any_order; }

  // Whether all ranks pass the same count and type, to send and to receive.
  bool same_counts() const { return same_counts_; }
  void set_same_counts(bool same_counts) { same_counts_ = same_counts; }

  // Which steered calls run the library's default. Rank 0 starts them, so that all ranks draw
  // alike.
  const Canaries& canaries() const { return canaries_; }
  Canaries* mutable_canaries() { return &canaries_; }

 private:
  struct Row {
    int64_t from_bytes;
    int64_t number;
  };
  struct Rows {
    int32_t count;
    bool broken;   // too many rows, or not ascending
    bool decides;  // has a number other than 0
    Row row[kMostRows];
  };
  // False for a number or name beyond the limits.
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
  bool same_counts_ = false;
  Canaries canaries_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_DECISIONS_H_
