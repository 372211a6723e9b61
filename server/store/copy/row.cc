#include "store/copy/row.h"

#include <cstddef>

namespace cox::store {
namespace {

template <typename Row>
void AppendFields(const Row& row, const CopiedTable& table, std::string& out) {
  const absl::string_view types = table.types;
  postgres::AppendInt16(static_cast<int16_t>(types.size()), out);
  for (int column = 0; column < static_cast<int>(types.size()); ++column) {
    if (row.IsNull(column)) {
      postgres::AppendNullField(out);
    } else if (types[static_cast<size_t>(column)] == 'i') {
      postgres::AppendField(row.Int(column), out);
    } else if (types[static_cast<size_t>(column)] == 'r') {
      // SQLite has no negative zero.
      postgres::AppendField(row.Real(column) + 0.0, out);
    } else {
      postgres::AppendField(row.Bytes(column), out);
    }
  }
}

template <typename AnyQuery>
absl::Status TakeAll(AnyQuery& query, const CopiedTable& table, const Side::TakeRow& take) {
  std::string row;
  while (query.Next()) {
    row.clear();
    AppendFields(query, table, row);
    if (absl::Status taken = take(row); !taken.ok()) return taken;
  }
  return query.status();
}

}  // namespace

absl::Status TakeRows(Query& query, const CopiedTable& table, const Side::TakeRow& take) {
  return TakeAll(query, table, take);
}

absl::Status TakeRows(postgres::Query& query, const CopiedTable& table, const Side::TakeRow& take) {
  return TakeAll(query, table, take);
}

bool TakeField(absl::string_view& rows, absl::string_view* field) {
  const int64_t size = postgres::DecodeInt(rows.substr(0, sizeof(int32_t)));
  rows.remove_prefix(sizeof(int32_t));
  *field = {};
  if (size < 0) return false;
  *field = rows.substr(0, static_cast<size_t>(size));
  rows.remove_prefix(field->size());
  return true;
}

}  // namespace cox::store
