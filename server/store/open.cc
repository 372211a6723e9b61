#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace cox::store {

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const StoreOptions& options) {
  if (options.url.empty()) return OpenSqlite(options);
  return postgres::OpenIn(options, RealSurroundings().now_us);
}

}  // namespace cox::store
