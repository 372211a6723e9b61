// Rows as both sides of a copy write them: PostgreSQL's binary format of COPY.
//
// Thread rule: one thread for a query. Failure rule: reading fields cannot fail, because rows come
// from our own encoders.
#ifndef COX_STORE_COPY_ROW_H_
#define COX_STORE_COPY_ROW_H_

#include <cstdint>
#include <string>

#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/copy/side.h"
#include "store/copy/tables.h"
#include "store/postgres/connection/binary.h"
#include "store/postgres/connection/query.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Passes on all rows of a query whose columns are the table's. Fails as the query and `take` do.
absl::Status TakeRows(Query& query, const CopiedTable& table, const Side::TakeRow& take);
absl::Status TakeRows(postgres::Query& query, const CopiedTable& table, const Side::TakeRow& take);

// Takes the next field from the front of `rows`, whose first 2 bytes of each row were taken before.
// False: it is NULL.
bool TakeField(absl::string_view& rows, absl::string_view* field);

// Of rows in any order.
struct RowSum {
  int64_t count = 0;
  uint64_t hash = 0;  // within this process only
  void Add(absl::string_view row) {
    ++count;
    hash += absl::HashOf(row);
  }
  friend bool operator==(const RowSum&, const RowSum&) = default;
};

}  // namespace cox::store

#endif  // COX_STORE_COPY_ROW_H_
