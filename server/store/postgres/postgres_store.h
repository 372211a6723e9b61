// Opens the PostgreSQL store with another clock, for tests. The daemon calls OpenStore().
//
// Thread rule and failure rule: as store.h.
#ifndef COX_STORE_POSTGRES_POSTGRES_STORE_H_
#define COX_STORE_POSTGRES_POSTGRES_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "store/store.h"

namespace cox::store::postgres {

// `now_us`: microseconds since the Unix epoch; `steady_us`: of a clock that nobody sets; any
// thread.
absl::StatusOr<std::unique_ptr<Store>> OpenIn(const StoreOptions& options,
                                              std::function<int64_t()> now_us,
                                              std::function<int64_t()> steady_us);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_POSTGRES_STORE_H_
