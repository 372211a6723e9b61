#include "bench/measure/collective_function.h"

#include <algorithm>

#include "domain/collective.h"

namespace cox::bench {

CollectiveFunction FindFunction(absl::Span<const FunctionRow> rows, domain::Collective collective) {
  const auto found = std::find_if(rows.begin(), rows.end(), [collective](const FunctionRow& row) {
    return row.collective == collective;
  });
  return found == rows.end() ? nullptr : found->function;
}

}  // namespace cox::bench
