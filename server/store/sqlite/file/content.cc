#include "store/sqlite/file/content.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "store/sqlite/file/header.h"

namespace cox::store {
namespace {

int64_t FileBytes(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(bytes);
}

// "" where the schema is older than identities, or cannot be read.
std::string IdentityIn(Database& db) {
  Query query(db, "SELECT hex(database_id) FROM next_id");
  return query.Next() ? query.Text(0) : "";
}

// SQLite's quick_check or its integrity_check, which also looks for each row in each index.
enum class Search { kQuick, kIntegrity };

// The status of a complaint. SQLite also complains of pages that it cannot read now, which
// says nothing of the file.
absl::Status StatusOfComplaint(const std::string& complaint) {
  constexpr absl::string_view kUnread = "unable to get the page. error code=";
  int code = 0;
  if (const size_t at = absl::string_view(complaint).find(kUnread); at != std::string::npos) {
    const absl::string_view rest = absl::string_view(complaint).substr(at + kUnread.size());
    if (!absl::SimpleAtoi(rest.substr(0, rest.find_first_not_of("0123456789")), &code)) code = 0;
  }
  if ((code & 0xff) == SQLITE_NOMEM) return absl::ResourceExhaustedError(complaint);
  if ((code & 0xff) == SQLITE_IOERR && code != SQLITE_IOERR_SHORT_READ) {
    return absl::UnavailableError(complaint);
  }
  return absl::DataLossError(complaint);
}

// SQLite's complaints, the first few. `table`: "" for all.
absl::Status SearchOnce(Database& db, Search search, const std::string& table) {
  const std::string argument = table.empty() ? "3" : absl::StrCat("'", table, "'");
  Query query(
      db, absl::StrCat("PRAGMA ", search == Search::kQuick ? "quick_check" : "integrity_check", "(",
                       argument, ")"));
  std::string complaints;
  constexpr size_t kEnough = 300;  // bytes
  while (complaints.size() < kEnough && query.Next()) {
    if (query.Text(0) == "ok") continue;
    absl::StrAppend(&complaints, complaints.empty() ? "" : "; ",
                    absl::StrReplaceAll(query.Text(0), {{"\n", " "}}));
  }
  if (!query.status().ok()) return query.status();
  return complaints.empty() ? absl::OkStatus() : StatusOfComplaint(complaints);
}

// Not every complaint about a failed read says so; damage is still there the second time.
absl::Status SearchDamage(Database& db, Search search, const std::string& table) {
  const absl::Status first = SearchOnce(db, search, table);
  return absl::IsDataLoss(first) ? SearchOnce(db, search, table) : first;
}

}  // namespace

absl::Status CheckPages(Database& db, const std::string& path, int64_t whole_bytes) {
  if (FileBytes(path) + FileBytes(path + "-wal") <= whole_bytes) {
    return SearchDamage(db, Search::kQuick, "");
  }
  std::vector<std::string> tables;
  {
    Query query(db,
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
                " AND name NOT IN ('observation', 'batch', 'old_sum')");
    while (query.Next()) tables.push_back(query.Text(0));
    if (!query.status().ok()) return query.status();
  }
  for (const std::string& table : tables) {
    absl::Status checked = SearchDamage(db, Search::kQuick, table);
    if (!checked.ok()) return checked;
  }
  return absl::OkStatus();
}

namespace {

// The log makes of the file a database of Coxswain with the identity that the file alone has.
absl::Status CheckLog(Database& db, const std::string& path) {
  {
    Query query(db, "PRAGMA application_id");
    const bool is_ours = query.Next() && query.Int(0) == kApplicationId;
    if (!query.status().ok()) return query.status();
    if (!is_ours) return absl::DataLossError("with its log it is of another program");
  }
  const absl::StatusOr<std::unique_ptr<Database>> file =
      Database::Open(path, Database::Mode::kWithoutLog);
  // A checkpoint that was interrupted can leave the file alone unreadable.
  if (!file.ok()) return absl::OkStatus();
  const std::string of_file = IdentityIn(**file);
  const std::string of_both = IdentityIn(db);
  if (of_file.empty() || of_both.empty() || of_file == of_both) return absl::OkStatus();
  return absl::DataLossError("with its log it is another database");
}

// Whether all is well without the log.
bool IsGoodAlone(const std::string& path, int64_t whole_bytes) {
  const absl::StatusOr<std::unique_ptr<Database>> file =
      Database::Open(path, Database::Mode::kWithoutLog);
  return file.ok() && CheckLength(path).ok() && CheckPages(**file, path, whole_bytes).ok();
}

}  // namespace

absl::Status CheckWithLog(Database& db, const std::string& path, int64_t whole_bytes) {
  absl::Status checked;
  if (FileBytes(path + "-wal") > 0) checked = CheckLog(db, path);
  if (checked.ok()) checked = CheckPages(db, path, whole_bytes);
  return checked;
}

absl::Status BlameLog(const absl::Status& damage, const std::string& path, int64_t whole_bytes) {
  const bool may_blame = absl::IsDataLoss(damage) && FileBytes(path + "-wal") > 0;
  if (!may_blame || !IsGoodAlone(path, whole_bytes)) return damage;
  return absl::DataLossError(absl::StrCat(
      path,
      "-wal beside it belongs to another database, or is damaged; the file alone is in order. If "
      "the log was left behind by a file that was replaced by hand, move ",
      path, "-wal and ", path, "-shm away"));
}

absl::Status CheckAll(Database& db) {
  absl::Status checked = SearchDamage(db, Search::kIntegrity, "");
  if (!checked.ok()) return checked;
  Query query(db, "PRAGMA foreign_key_check");
  if (query.Next()) {
    return absl::DataLossError(absl::StrCat("row ", query.Int(1), " of table ", query.Text(0),
                                            " refers to a row that is missing in ", query.Text(2)));
  }
  return query.status();
}

absl::Status RenewIdentity(Database& db) {
  {
    Query query(db, "SELECT 1 FROM pragma_table_info('next_id') WHERE name = 'database_id'");
    // The migration of an older schema gives it one.
    if (!query.Next()) return query.status();
  }
  return db.Execute("UPDATE next_id SET database_id = randomblob(16)");
}

}  // namespace cox::store
