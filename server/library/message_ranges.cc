#include "library/message_ranges.h"

namespace cox::library {

std::vector<MessageRange> RangesOf(const DecisionTable& table, int64_t bytes_per_byte,
                                   int64_t largest_bytes) {
  const int64_t largest_block = largest_bytes / bytes_per_byte;
  std::vector<MessageRange> ranges;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const DecisionRow& row = table.rows[i];
    if (row.native_id == 0 || row.block_bytes > largest_block) continue;
    const bool ends = i + 1 < table.rows.size() && table.rows[i + 1].block_bytes <= largest_block;
    const int64_t last = ends ? table.rows[i + 1].block_bytes * bytes_per_byte - 1 : largest_bytes;
    const int64_t first = row.block_bytes * bytes_per_byte;
    if (!ranges.empty() && ranges.back().last_bytes + 1 == first &&
        ranges.back().algorithm == row.algorithm) {
      ranges.back().last_bytes = last;
    } else {
      ranges.push_back({first, last, row.algorithm, row.native_id});
    }
  }
  return ranges;
}

}  // namespace cox::library
