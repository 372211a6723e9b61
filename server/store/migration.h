// One step of a schema, compiled in from a file of schema/. Plain data.
#ifndef COX_STORE_MIGRATION_H_
#define COX_STORE_MIGRATION_H_

namespace cox::store {

struct Migration {
  int version;  // of the schema after it
  const char* file;
  const char* sql;
};

}  // namespace cox::store

#endif  // COX_STORE_MIGRATION_H_
