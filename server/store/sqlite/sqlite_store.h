// Opens the SQLite store with another clock and file system, for tests. The daemon calls
// OpenSqlite().
//
// Thread rule and failure rule: as store.h.
#ifndef COX_STORE_SQLITE_SQLITE_STORE_H_
#define COX_STORE_SQLITE_SQLITE_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "store/data_directory.h"
#include "store/store.h"

namespace cox::store {

struct Surroundings {
  std::function<int64_t()> now_us;     // microseconds since the Unix epoch; any thread
  std::function<int64_t()> steady_us;  // of a clock that nobody sets; any thread
  FileSystemType file_system_type;
};

Surroundings RealSurroundings();

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteIn(const StoreOptions& options,
                                                    const Surroundings& surroundings);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_SQLITE_STORE_H_
