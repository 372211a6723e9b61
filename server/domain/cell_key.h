// The key of a cell: two timings with the same key are comparable. Plain data.
#ifndef COX_DOMAIN_CELL_KEY_H_
#define COX_DOMAIN_CELL_KEY_H_

#include <cstdint>
#include <string>

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
  friend bool operator==(const ScenarioKey&, const ScenarioKey&) = default;
};

// How a timing was taken. kBenchmark: a benchmark that runs alone. kJob: a job that does other work
// too. The two differ systematically: caches, neighbours, and ranks that arrive at different times.
enum class CellKind { kBenchmark = 0, kJob = 1 };

}  // namespace cox::domain

#endif  // COX_DOMAIN_CELL_KEY_H_
