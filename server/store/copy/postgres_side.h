// PostgreSQL as a side of a copy: the schema coxswain of a database. While it is filled its name is
// coxswain_copy.
//
// Thread rule: as side.h. Failure rule: NOT_FOUND (no source), FAILED_PRECONDITION (the source is
// of another version, the target has content or a running coxd), ABORTED (another copy fills the
// target), and what postgres/connection/session.h says.
#ifndef COX_STORE_COPY_POSTGRES_SIDE_H_
#define COX_STORE_COPY_POSTGRES_SIDE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/copy/side.h"

namespace cox::store {

// `url`: "postgresql://...".
absl::StatusOr<std::unique_ptr<Source>> OpenPostgresSource(const std::string& url);

// Goes on with the schema coxswain_copy if there is one.
absl::StatusOr<std::unique_ptr<Target>> OpenPostgresTarget(const std::string& url);

}  // namespace cox::store

#endif  // COX_STORE_COPY_POSTGRES_SIDE_H_
