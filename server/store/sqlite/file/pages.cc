#include "store/sqlite/file/pages.h"

#include "absl/strings/string_view.h"

namespace cox::store {
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
    const absl::StatusOr<int64_t> read = Query(db, pragma).Number();
    if (!read.ok()) return read.status();
    *number = *read;
  }
  return facts;
}

absl::StatusOr<Freed> FreePages(Database& db) {
  constexpr int64_t kIncremental = 2;
  const absl::StatusOr<int64_t> mode = Query(db, "PRAGMA auto_vacuum").Number();
  if (!mode.ok()) return mode.status();
  if (*mode != kIncremental) {
    return absl::FailedPreconditionError(
        "an older coxd made this database, whose free pages can only be used again, not given "
        "back; "
        "`cox store backup` and `cox store restore` make it new");
  }
  const absl::StatusOr<int64_t> before = Query(db, "PRAGMA freelist_count").Number();
  if (!before.ok()) return before.status();
  if (*before == 0) return Freed{};
  if (absl::Status freed = Query(db, "PRAGMA incremental_vacuum(1000)").Run(); !freed.ok()) {
    return freed;
  }
  const absl::StatusOr<int64_t> after = Query(db, "PRAGMA freelist_count").Number();
  if (!after.ok()) return after.status();
  return Freed{*before - *after, *after};
}

}  // namespace cox::store
