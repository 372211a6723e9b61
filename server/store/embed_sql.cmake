# Writes a C++ file that holds the migrations of one engine:
#   cmake -D OUTPUT=f.cc -D "MIGRATIONS=a.sql;b.sql" -D HEADER=store/e/migrations.h -D SPACE=cox::e -P this
# Their numbers must be 1, 2, 3, ...: a gap is a mistake that no database must ever see.
set(rows "")
set(expected 1)
list(SORT MIGRATIONS COMPARE FILE_BASENAME)
foreach(path IN LISTS MIGRATIONS)
  get_filename_component(name ${path} NAME)
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_[a-z0-9_]+\\.sql$")
    message(FATAL_ERROR "schema/${name}: migrations are named NNNN_what.sql")
  endif()
  math(EXPR number "1${CMAKE_MATCH_1} - 10000")
  if(NOT number EQUAL expected)
    message(FATAL_ERROR "schema/${name}: number ${expected} was expected")
  endif()
  math(EXPR expected "${expected} + 1")
  file(READ ${path} sql)
  string(APPEND rows "    {${number}, \"${name}\", R\"sql(${sql})sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from the files of schema/.
#include \"${HEADER}\"

namespace ${SPACE} {
namespace {
constexpr Migration kMigrations[] = {
${rows}};
}  // namespace

absl::Span<const Migration> Migrations() { return kMigrations; }

}  // namespace ${SPACE}
")
