#include "store/copy/side.h"

#include "absl/strings/str_cat.h"

namespace cox::store {

absl::Status CheckSchemaVersion(absl::string_view side, const absl::StatusOr<int64_t>& version,
                                absl::Span<const Migration> migrations, absl::string_view advice) {
  if (!version.ok()) return version.status();
  const int newest = migrations.back().version;
  if (*version == newest) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the ", side, " has schema version ", *version,
                                                    ", this program knows ", newest, ": ", advice));
}

}  // namespace cox::store
