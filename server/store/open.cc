#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace cox::store {

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const StoreOptions& options) {
  if (options.url.empty()) return OpenSqlite(options);
  const Surroundings real = RealSurroundings();
  return postgres::OpenIn(options, real.now_us, real.steady_us);
}

}  // namespace cox::store
