// Everything that a daemon does with its database, in steps: the subject of tests that break the
// disk, the memory or the process at each point of it.
#ifndef COX_TESTS_UNIT_STORE_SQLITE_STORE_LIFE_H_
#define COX_TESTS_UNIT_STORE_SQLITE_STORE_LIFE_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "store/store.h"

namespace cox::store {

inline constexpr int64_t kLifeRows = 7;  // of a batch

// What a life's witness hears.
struct LifeWitness {
  // A step of this name begins: "migrate", "ingest", ...
  std::function<void(const std::string& step)> begins = [](const std::string&) {};
  // A batch (sequence) was acknowledged.
  std::function<void(int64_t sequence)> acknowledged = [](int64_t) {};
  // A call failed.
  std::function<void(const std::string& step, const absl::Status& status)> failed =
      [](const std::string&, const absl::Status&) {};
};

// Opens the database in `directory` (made if it is missing), writes batches with sequences from
// `first` on between the other steps, and closes it. Returns the sequence after the last one.
int64_t LiveOnce(const std::string& directory, int64_t first, const LifeWitness& witness);

// Opens the database and compares it with the acknowledged batches: each is there, whole and once,
// and so is each other one that is there; pages and references are sound. "" or what is wrong.
std::string CheckLife(const std::string& directory, const std::set<int64_t>& acknowledged);

}  // namespace cox::store

#endif  // COX_TESTS_UNIT_STORE_SQLITE_STORE_LIFE_H_
