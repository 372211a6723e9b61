// What two timings must share to be comparable. Plain data.
#ifndef COX_DOMAIN_CELL_KEY_H_
#define COX_DOMAIN_CELL_KEY_H_

#include <cstdint>
#include <string>

namespace cox::domain {

// What was run, and where.
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

// How timings were taken: by a benchmark that does nothing else, or in a job at work. The two
// differ systematically: caches, neighbours, ranks that arrive unevenly.
enum class CellKind { kBenchmark = 0, kJob = 1 };

}  // namespace cox::domain

#endif  // COX_DOMAIN_CELL_KEY_H_
