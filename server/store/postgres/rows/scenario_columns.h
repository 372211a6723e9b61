// The columns of a scenario `s` in a SELECT, and reading them. Thread rule: the session's.
// Failure rule: cannot fail.
#ifndef COX_STORE_POSTGRES_ROWS_SCENARIO_COLUMNS_H_
#define COX_STORE_POSTGRES_ROWS_SCENARIO_COLUMNS_H_

#include <string>
#include <utility>

#include "domain/cell_key.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {

inline constexpr const char* kScenarioColumns =
    "s.library, s.collective, s.algorithm, s.nodes, s.ppn, s.ranks, s.block_bytes, s.type_bytes";
inline constexpr int kScenarioColumnCount = 8;

// From the columns of `row` that begin at `first`.
inline domain::ScenarioKey ScenarioOf(const Query& row, int first, std::string machine) {
  return {.machine = std::move(machine),
          .library = row.Text(first),
          .collective = row.Text(first + 1),
          .algorithm = row.Text(first + 2),
          .nodes = row.Int(first + 3),
          .ppn = row.Int(first + 4),
          .ranks = row.Int(first + 5),
          .block_bytes = row.Int(first + 6),
          .type_bytes = row.Int(first + 7)};
}

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_SCENARIO_COLUMNS_H_
