// Which algorithm a library runs by itself over all message sizes. Pure, any thread.
#ifndef COX_LIBRARY_DEFAULT_RANGES_H_
#define COX_LIBRARY_DEFAULT_RANGES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// From block_bytes up to the next range.
struct StockRange {
  int64_t block_bytes = 0;
  const Algorithm* picked = nullptr;  // what the decision says; null where that is no algorithm
  const Algorithm* runs = nullptr;    // what then runs; null where the library's algorithm fails
};

// The first range is one with an algorithm. The ranges for the scenario's collective, ranks and
// element size, whatever its block_bytes, up to 1 GiB. Empty where the decision is not known, and
// for a single rank.
std::vector<StockRange> StockRanges(absl::string_view library, const strategy::Scenario& scenario,
                                    const Assumptions& assume);

}  // namespace cox::library

#endif  // COX_LIBRARY_DEFAULT_RANGES_H_
