// Rows as both sides of a copy write them: PostgreSQL's binary format of COPY.
//
// Thread rule: pure. Failure rule: cannot fail; rows come from our own encoders.
#ifndef COX_STORE_COPY_ROW_H_
#define COX_STORE_COPY_ROW_H_

#include <cstdint>
#include <string>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "store/copy/tables.h"
#include "store/postgres/connection/binary.h"
#include "store/postgres/connection/query.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Appends the current row of a query whose columns are the table's.
void AppendRow(const Query& row, const CopiedTable& table, std::string& out);
void AppendRow(const postgres::Query& row, const CopiedTable& table, std::string& out);

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
