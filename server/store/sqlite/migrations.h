// The migrations of schema/, compiled in: the build writes the table from the files. schema.h
// applies them. Thread rule: constant data. Failure rule: cannot fail.
#ifndef COX_STORE_SQLITE_MIGRATIONS_H_
#define COX_STORE_SQLITE_MIGRATIONS_H_

#include "absl/types/span.h"
#include "store/migration.h"

namespace cox::store {

// In order: versions 1, 2, 3, ...
absl::Span<const Migration> Migrations();

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_MIGRATIONS_H_
