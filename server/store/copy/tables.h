// The tables that both engines have, in an order in which references are to rows that are there.
//
// Thread rule: constant data. Failure rule: cannot fail.
#ifndef COX_STORE_COPY_TABLES_H_
#define COX_STORE_COPY_TABLES_H_

#include "absl/types/span.h"

namespace cox::store {

struct CopiedTable {
  const char* name;
  const char* columns;  // separated by ", "
  // A letter for each column: i whole number, r double precision, t text, b bytes. NULL stays NULL.
  const char* types;
  const char* identity = nullptr;  // the column that the target numbers
};

absl::Span<const CopiedTable> CopiedTables();

}  // namespace cox::store

#endif  // COX_STORE_COPY_TABLES_H_
