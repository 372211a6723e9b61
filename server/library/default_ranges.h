// Which algorithm a library's default runs at which message sizes. Pure, any thread.
#ifndef COX_LIBRARY_DEFAULT_RANGES_H_
#define COX_LIBRARY_DEFAULT_RANGES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// From block_bytes up to the next range.
struct DefaultRange {
  int64_t block_bytes = 0;
  const Algorithm* chosen = nullptr;  // by the decision; null where it names no algorithm
  const Algorithm* runs = nullptr;    // what runs then; null where the library fails
};

// The ranges for the scenario's collective, ranks and element size up to 1 GiB; its block_bytes are
// ignored. The first range has an algorithm. Empty where the decision is not known, and for a
// single rank.
std::vector<DefaultRange> DefaultRanges(absl::string_view library,
                                        const strategy::Scenario& scenario,
                                        const Assumptions& assume);

}  // namespace cox::library

#endif  // COX_LIBRARY_DEFAULT_RANGES_H_
