#include "store/copy/copy.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "store/copy/tables.h"
#include "store/postgres/connection/binary.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/migrations.h"
#include "store/postgres/partitions.h"
#include "store/postgres/schema.h"
#include "store/sqlite/database.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/read_pool.h"

namespace cox::store {
namespace {

// Bytes of rows in memory.
constexpr size_t kPieceBytes = size_t{4} << 20;

absl::StatusOr<int64_t> Number(Database& db, absl::string_view sql) {
  Query query(db, sql);
  const int64_t number = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return number;
}

absl::Status CheckVersion(Database& from) {
  const absl::StatusOr<int64_t> version = Number(from, "PRAGMA user_version");
  if (!version.ok()) return version.status();
  const int newest = Migrations().back().version;
  if (*version == newest) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the source has schema version ", *version,
                                                    ", this program knows ", newest,
                                                    ": start this program's coxd on it once"));
}

// Rows that only one engine can hold must not get lost on the way.
absl::Status CheckTables(Database& from) {
  std::vector<std::string> unknown;
  {
    Query query(from,
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'next_id'"
                " AND name NOT LIKE 'sqlite%'");
    while (query.Next()) unknown.push_back(query.Text(0));
    if (!query.status().ok()) return query.status();
  }
  std::erase_if(unknown, [](const std::string& name) {
    return std::any_of(CopiedTables().begin(), CopiedTables().end(),
                       [&](const CopiedTable& table) { return name == table.name; });
  });
  for (const std::string& name : unknown) {
    const absl::StatusOr<int64_t> rows = Number(from, absl::StrCat("SELECT count(*) FROM ", name));
    if (!rows.ok()) return rows.status();
    if (*rows == 0) continue;
    return absl::FailedPreconditionError(absl::StrCat("table ", name, " of the source has ", *rows,
                                                      " rows, and PostgreSQL has no such table"));
  }
  return absl::OkStatus();
}

absl::Status CheckEmpty(postgres::Session& to) {
  // Daemons write after it, or not at all.
  if (absl::Status locked = to.Execute("SELECT 1 FROM next_id FOR UPDATE"); !locked.ok()) {
    return locked;
  }
  const absl::StatusOr<int64_t> rows =
      postgres::Query(to,
                      "SELECT (SELECT count(*) FROM machine) + (SELECT count(*) FROM job) +"
                      " (SELECT count(*) FROM audit) + (SELECT observation_id - 1 FROM next_id)")
          .Number();
  if (!rows.ok()) return rows.status();
  if (*rows == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the target is not empty: make another database, or drop its schema coxswain");
}

void AppendRow(const Query& row, const CopiedTable& table, std::string& out) {
  const absl::string_view types = table.types;
  postgres::AppendInt16(static_cast<int16_t>(types.size()), out);
  for (int column = 0; column < static_cast<int>(types.size()); ++column) {
    if (row.IsNull(column)) {
      postgres::AppendNullField(out);
    } else if (types[static_cast<size_t>(column)] == 'i') {
      postgres::AppendField(row.Int(column), out);
    } else if (types[static_cast<size_t>(column)] == 'r') {
      postgres::AppendField(row.Real(column), out);
    } else {
      postgres::AppendField(row.Bytes(column), out);
    }
  }
}

absl::Status CopyTable(Database& from, postgres::Session& to, const CopiedTable& table,
                       const CopyProgress& progress) {
  const std::string target = absl::StrCat(table.name, " (", table.columns, ")");
  std::string rows = postgres::CopyBegin();
  int64_t row_count = 0;
  const auto send = [&] {
    absl::Status sent = to.CopyRows(target, absl::StrCat(rows, postgres::CopyEnd()));
    rows = postgres::CopyBegin();
    progress(table.name, row_count);
    return sent;
  };
  Query query(from, absl::StrCat("SELECT ", table.columns, " FROM ", table.name));
  while (query.Next()) {
    AppendRow(query, table, rows);
    ++row_count;
    if (rows.size() < kPieceBytes) continue;
    if (absl::Status sent = send(); !sent.ok()) return sent;
  }
  if (!query.status().ok()) return query.status();
  if (absl::Status sent = send(); !sent.ok()) return sent;
  const absl::StatusOr<int64_t> copied =
      postgres::Query(to, absl::StrCat("SELECT count(*) FROM ", table.name)).Number();
  if (!copied.ok()) return copied.status();
  if (*copied != row_count) {
    return absl::DataLossError(absl::StrCat("table ", table.name, " has ", row_count, " rows, ",
                                            *copied, " have arrived"));
  }
  if (table.identity == nullptr) return absl::OkStatus();
  return to.Execute(absl::StrCat("SELECT setval(pg_get_serial_sequence('", table.name, "', '",
                                 table.identity, "'), max(", table.identity, ")) FROM ", table.name,
                                 " HAVING count(*) > 0"));
}

absl::Status CopyAll(Database& from, postgres::Session& to, const CopyProgress& progress) {
  if (absl::Status empty = CheckEmpty(to); !empty.ok()) return empty;
  const absl::StatusOr<int64_t> next_id = Number(from, "SELECT observation_id FROM next_id");
  if (!next_id.ok()) return next_id.status();
  if (absl::Status made = postgres::MakePartitions(to, 1, *next_id); !made.ok()) return made;
  for (const CopiedTable& table : CopiedTables()) {
    absl::Status copied = CopyTable(from, to, table, progress);
    if (!copied.ok()) {
      return absl::Status(copied.code(),
                          absl::StrCat("table ", table.name, ": ", copied.message()));
    }
  }
  return postgres::Query(to, "UPDATE next_id SET observation_id = $1").Bind(*next_id).Run();
}

}  // namespace

absl::Status CopyToPostgres(const std::string& from, const std::string& to_url,
                            const CopyProgress& progress) {
  const std::string path = from + "/coxswain.db";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no database ", path));
  }
  absl::StatusOr<std::unique_ptr<Database>> source =
      Database::Open(path, Database::Mode::kReadOnly);
  if (!source.ok()) return source.status();
  const Snapshot snapshot(**source);
  if (!snapshot.status().ok()) return snapshot.status();
  if (absl::Status same = CheckVersion(**source); !same.ok()) return same;
  if (absl::Status known = CheckTables(**source); !known.ok()) return known;
  postgres::Session target(to_url, postgres::kSetUp);
  absl::Status status = target.Connect();
  if (status.ok()) status = postgres::Migrate(target, postgres::Migrations());
  if (status.ok()) status = target.Execute("BEGIN");
  if (status.ok()) status = CopyAll(**source, target, progress);
  if (status.ok()) return target.Commit();
  if (target.IsConnected()) target.Execute("ROLLBACK").IgnoreError();
  return status;
}

}  // namespace cox::store
