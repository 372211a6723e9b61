// A decision table as ranges of a library's own message sizes. Pure, any thread.
#ifndef COX_LIBRARY_MESSAGE_RANGES_H_
#define COX_LIBRARY_MESSAGE_RANGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "library/decision_table.h"

namespace cox::library {

struct MessageRange {
  int64_t first_bytes = 0;
  int64_t last_bytes = 0;  // inclusive
  std::string algorithm;
  int native_id = 0;
};

// The ranges of the rows other than "default", ascending; the last one ends at `largest_bytes` or
// before. The library counts each block `bytes_per_byte` (>= 1) times. Adjacent ranges of one
// algorithm are merged.
std::vector<MessageRange> RangesOf(const DecisionTable& table, int64_t bytes_per_byte,
                                   int64_t largest_bytes);

}  // namespace cox::library

#endif  // COX_LIBRARY_MESSAGE_RANGES_H_
