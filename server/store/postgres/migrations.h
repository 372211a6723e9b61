// The migrations of schema/postgres/, compiled in: the build writes the table from the files.
// schema.h applies them. Thread rule: constant data. Failure rule: cannot fail.
#ifndef COX_STORE_POSTGRES_MIGRATIONS_H_
#define COX_STORE_POSTGRES_MIGRATIONS_H_

#include "absl/types/span.h"
#include "store/migration.h"

namespace cox::store::postgres {

// In order: versions 1, 2, 3, ...
absl::Span<const Migration> Migrations();

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_MIGRATIONS_H_
