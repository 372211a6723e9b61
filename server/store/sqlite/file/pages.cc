#include "store/sqlite/file/pages.h"

#include "absl/strings/string_view.h"

namespace cox::store {
namespace {

absl::StatusOr<int64_t> Number(Database& db, absl::string_view pragma) {
  Query query(db, pragma);
  const int64_t number = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return number;
}

}  // namespace

absl::StatusOr<FileFacts> ReadPageCounts(Database& db) {
  FileFacts facts;
  const struct {
    const char* pragma;
    int64_t* number;
  } numbers[] = {{"PRAGMA user_version", &facts.schema_version},
                 {"PRAGMA page_size", &facts.page_bytes},
                 {"PRAGMA page_count", &facts.page_count},
                 {"PRAGMA freelist_count", &facts.free_page_count},
                 {"SELECT coalesce(sum(summed_count), 0) FROM machine WHERE name IS NOT NULL",
                  &facts.summed_count}};
  for (const auto& [pragma, number] : numbers) {
    const absl::StatusOr<int64_t> read = Number(db, pragma);
    if (!read.ok()) return read.status();
    *number = *read;
  }
  return facts;
}

absl::StatusOr<Freed> FreePages(Database& db) {
  constexpr int64_t kIncremental = 2;
  const absl::StatusOr<int64_t> mode = Number(db, "PRAGMA auto_vacuum");
  if (!mode.ok()) return mode.status();
  if (*mode != kIncremental) {
    return absl::FailedPreconditionError(
        "an older coxd made this database, whose free pages can only be used again, not given "
        "back; "
        "`cox store backup` and `cox store restore` make it new");
  }
  const absl::StatusOr<int64_t> before = Number(db, "PRAGMA freelist_count");
  if (!before.ok()) return before.status();
  if (*before == 0) return Freed{};
  if (absl::Status freed = Query(db, "PRAGMA incremental_vacuum(1000)").Run(); !freed.ok()) {
    return freed;
  }
  const absl::StatusOr<int64_t> after = Number(db, "PRAGMA freelist_count");
  if (!after.ok()) return after.status();
  return Freed{*before - *after, *after};
}

}  // namespace cox::store
