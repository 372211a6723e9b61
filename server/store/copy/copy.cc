#include "store/copy/copy.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "domain/words/counted.h"
#include "store/copy/postgres_side.h"
#include "store/copy/row.h"
#include "store/copy/side.h"
#include "store/copy/sqlite_side.h"
#include "store/copy/tables.h"

namespace cox::store {
namespace {

// Of rows in memory.
constexpr size_t kWriteBytes = size_t{4} << 20;
constexpr absl::string_view kInPieces = "observation";

// Rows that only one engine can hold must not get lost on the way.
absl::Status CheckTables(Source& from) {
  absl::StatusOr<std::vector<std::string>> unknown = from.ListTables();
  if (!unknown.ok()) return unknown.status();
  std::erase_if(*unknown, [](const std::string& name) {
    return std::any_of(CopiedTables().begin(), CopiedTables().end(),
                       [&](const CopiedTable& table) { return name == table.name; });
  });
  for (const std::string& name : *unknown) {
    const absl::StatusOr<int64_t> rows = from.CountRows(name);
    if (!rows.ok()) return rows.status();
    if (*rows == 0) continue;
    return absl::FailedPreconditionError(absl::StrCat("table ", name, " of the source has ",
                                                      domain::Counted(*rows, "row"),
                                                      ", and the target has no such table"));
  }
  return absl::OkStatus();
}

absl::StatusOr<RowSum> SumOf(Side& side, const CopiedTable& table, const IdRange* ids) {
  RowSum sum;
  absl::Status read = side.Read(table, ids, [&sum](absl::string_view row) {
    sum.Add(row);
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  return sum;
}

// Copies rows that the target does not have. Returns what the source has.
absl::StatusOr<RowSum> CopyRows(Source& from, Target& to, const CopiedTable& table,
                                const IdRange* ids) {
  RowSum sum;
  std::string rows;
  const auto write = [&] {
    absl::Status written = to.Write(table, rows);
    rows.clear();
    return written;
  };
  absl::Status status = from.Read(table, ids, [&](absl::string_view row) {
    sum.Add(row);
    absl::StrAppend(&rows, row);
    return rows.size() < kWriteBytes ? absl::OkStatus() : write();
  });
  if (status.ok() && !rows.empty()) status = write();
  if (!status.ok()) return status;
  const absl::StatusOr<RowSum> copied = SumOf(to, table, ids);
  if (!copied.ok()) return copied.status();
  if (*copied == sum) return sum;
  return absl::DataLossError(
      absl::StrCat("the source has ", domain::Counted(sum.count, "row"), ", the target ",
                   copied->count, copied->count == sum.count ? ", with other content" : ""));
}

// Leaves a piece as it is if it is equal already.
absl::StatusOr<RowSum> CopyPiece(Source& from, Target& to, const CopiedTable& table,
                                 const IdRange& ids) {
  const absl::StatusOr<RowSum> there = SumOf(to, table, &ids);
  if (!there.ok()) return there.status();
  if (there->count > 0) {
    absl::StatusOr<RowSum> wanted = SumOf(from, table, &ids);
    if (!wanted.ok() || *wanted == *there) return wanted;
    if (absl::Status removed = to.RemoveObservations(ids); !removed.ok()) return removed;
  }
  return CopyRows(from, to, table, &ids);
}

// In a transaction each.
absl::Status CopyPieces(Source& from, Target& to, const CopiedTable& table, int64_t next_id,
                        int64_t piece_ids, const CopyProgress& progress) {
  // Of an earlier attempt with another source.
  absl::Status status = to.Begin();
  if (status.ok()) {
    status = to.RemoveObservations({next_id, std::numeric_limits<int64_t>::max()});
  }
  if (status.ok()) status = to.Commit();
  int64_t row_count = 0;
  for (int64_t begin = 1; begin < next_id && status.ok(); begin += piece_ids) {
    status = to.Begin();
    if (!status.ok()) break;
    const absl::StatusOr<RowSum> copied =
        CopyPiece(from, to, table, {begin, std::min(begin + piece_ids, next_id)});
    status = copied.ok() ? to.Commit() : copied.status();
    if (!status.ok()) break;
    row_count += copied->count;
    progress(table.name, row_count);
  }
  return status;
}

absl::Status InTable(const CopiedTable& table, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("table ", table.name, ": ", status.message()));
}

absl::Status CopyAll(Source& from, Target& to, int64_t piece_ids, const CopyProgress& progress) {
  const absl::StatusOr<int64_t> next_id = from.NextObservationId();
  if (!next_id.ok()) return next_id.status();
  if (absl::Status prepared = to.Prepare(*next_id); !prepared.ok()) return prepared;
  for (const CopiedTable& table : CopiedTables()) {
    if (table.name != kInPieces) continue;
    absl::Status copied = CopyPieces(from, to, table, *next_id, piece_ids, progress);
    if (!copied.ok()) return InTable(table, copied);
  }
  if (absl::Status begun = to.Begin(); !begun.ok()) return begun;
  for (const CopiedTable& table : CopiedTables()) {
    if (table.name == kInPieces) continue;
    const absl::StatusOr<RowSum> copied = CopyRows(from, to, table, nullptr);
    if (!copied.ok()) return InTable(table, copied.status());
    progress(table.name, copied->count);
  }
  return to.Finish(*next_id);
}

// The source first: without one the target stays untouched.
absl::Status Copy(absl::StatusOr<std::unique_ptr<Source>> from,
                  const std::function<absl::StatusOr<std::unique_ptr<Target>>()>& open_target,
                  int64_t piece_ids, const CopyProgress& progress) {
  if (!from.ok()) return from.status();
  if (absl::Status known = CheckTables(**from); !known.ok()) return known;
  const absl::StatusOr<std::unique_ptr<Target>> to = open_target();
  if (!to.ok()) return to.status();
  return CopyAll(**from, **to, piece_ids, progress);
}

}  // namespace

absl::Status CopyToPostgres(const std::string& directory, const std::string& url,
                            const CopyProgress& progress, int64_t piece_ids) {
  return Copy(
      OpenSqliteSource(directory), [&] { return OpenPostgresTarget(url); }, piece_ids, progress);
}

absl::Status CopyToSqlite(const std::string& url, const std::string& directory,
                          const CopyProgress& progress, int64_t piece_ids) {
  return Copy(
      OpenPostgresSource(url), [&] { return OpenSqliteTarget(directory); }, piece_ids, progress);
}

}  // namespace cox::store
