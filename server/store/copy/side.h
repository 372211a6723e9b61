// The two sides of a copy: a database to read, and one to fill. Both speak of rows in PostgreSQL's
// binary format of COPY, so that equal rows have equal bytes in both engines.
//
// Thread rule: one thread. Failure rule: what the engine says; PostgreSQL and SQLite are closed by
// the destructor, which keeps what was committed and drops the rest.
#ifndef COX_STORE_COPY_SIDE_H_
#define COX_STORE_COPY_SIDE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/copy/tables.h"
#include "store/migration.h"

namespace cox::store {

// Observations with begin <= id < end.
struct IdRange {
  int64_t begin;
  int64_t end;
};

class Side {
 public:
  // An error ends the reading.
  using TakeRow = std::function<absl::Status(absl::string_view row)>;

  Side() = default;
  virtual ~Side() = default;
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  // All rows of the table, in any order; `ids`: of table observation, these only. Null: all.
  virtual absl::Status Read(const CopiedTable& table, const IdRange* ids, const TakeRow& take) = 0;
};

// Sees one commit, whoever writes meanwhile.
class Source : public Side {
 public:
  // All tables but those that only this engine needs.
  virtual absl::StatusOr<std::vector<std::string>> ListTables() = 0;
  virtual absl::StatusOr<int64_t> CountRows(const std::string& table) = 0;
  virtual absl::StatusOr<int64_t> NextObservationId() = 0;
};

// OK if `version`, of the schema of `side` ("source"), is that of the newest migration. Else
// FAILED_PRECONDITION with `advice`, or why the version cannot be read.
absl::Status CheckSchemaVersion(absl::string_view side, const absl::StatusOr<int64_t>& version,
                                absl::Span<const Migration> migrations, absl::string_view advice);
inline constexpr absl::string_view kStartDaemonOnce = "start this program's coxd on it once";

// Has no name under which a daemon finds it until Finish().
class Target : public Side {
 public:
  // Makes room for the ids before `next_id`.
  virtual absl::Status Prepare(int64_t next_id) = 0;
  virtual absl::Status Begin() = 0;
  virtual absl::Status Commit() = 0;
  // `rows`: one after another.
  virtual absl::Status Write(const CopiedTable& table, absl::string_view rows) = 0;
  virtual absl::Status RemoveObservations(const IdRange& ids) = 0;
  // The last call, in a transaction: sets what the engine counts itself, commits, and gives the
  // database its name. DATA_LOSS if rows refer to rows that are missing.
  virtual absl::Status Finish(int64_t next_id) = 0;
};

}  // namespace cox::store

#endif  // COX_STORE_COPY_SIDE_H_
