// The key of a cell: two timings with the same key are comparable. Plain data.
#ifndef COX_DOMAIN_CELL_KEY_H_
#define COX_DOMAIN_CELL_KEY_H_

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace cox::domain {

// The scenario that ran: which call, on which machine.
struct ScenarioKey {
  std::string machine;
  std::string library;
  std::string collective;
  std::string algorithm;  // the library's own name, or "default"
  int64_t nodes = 1;
  int64_t ppn = 1;
  int64_t ranks = 1;  // ranks <= nodes * ppn
  int64_t block_bytes = 0;
  int64_t type_bytes = 4;
  friend auto operator<=>(const ScenarioKey&, const ScenarioKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ScenarioKey& key) {
    return H::combine(std::move(h), key.machine, key.library, key.collective, key.algorithm,
                      key.nodes, key.ppn, key.ranks, key.block_bytes, key.type_bytes);
  }
};

// How a timing was taken. kBenchmark: a benchmark that runs alone. kJob: a job that does other work
// too. The two differ systematically: caches, neighbours, and ranks that arrive at different times.
enum class CellKind { kBenchmark = 0, kJob = 1 };

// One cell: timings of one scenario, taken in one way.
struct CellKey {
  ScenarioKey scenario;
  CellKind kind = CellKind::kBenchmark;
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const CellKey& key) {
    return H::combine(std::move(h), key.scenario, key.kind);
  }
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_CELL_KEY_H_
