// Finds the exact message sizes at which a choice changes.
#ifndef COX_LIBRARY_SIZE_CHANGES_H_
#define COX_LIBRARY_SIZE_CHANGES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace cox::library {

// Appends to `rows` a row at every size in (low, high] at which the choice changes, to the byte.
// A row has block_bytes; row_at(block_bytes) makes one, and is_same(a, b) tells whether two make
// the same choice. It looks for no change between two sizes with the same choice.
template <typename Row, typename RowAt, typename IsSame>
void AppendChanges(const Row& low, const Row& high, const RowAt& row_at, const IsSame& is_same,
                   std::vector<Row>* rows) {
  if (is_same(low, high)) return;
  if (high.block_bytes - low.block_bytes == 1) {
    rows->push_back(high);
    return;
  }
  const Row middle = row_at(low.block_bytes + (high.block_bytes - low.block_bytes) / 2);
  AppendChanges(low, middle, row_at, is_same, rows);
  AppendChanges(middle, high, row_at, is_same, rows);
}

// All rows from size 0 to `largest`. It compares the choices at 0, 1 and every power of two.
template <typename Row, typename RowAt, typename IsSame>
std::vector<Row> FollowSizes(int64_t largest, const RowAt& row_at, const IsSame& is_same) {
  std::vector<Row> rows = {row_at(0)};
  Row previous = rows.front();
  for (int64_t block_bytes = 1; block_bytes <= largest; block_bytes *= 2) {
    Row next = row_at(block_bytes);
    AppendChanges(previous, next, row_at, is_same, &rows);
    previous = std::move(next);
  }
  return rows;
}

}  // namespace cox::library

#endif  // COX_LIBRARY_SIZE_CHANGES_H_
