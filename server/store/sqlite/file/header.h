// The database file as bytes: its first page and its length, read without SQLite.
//
// Thread rule: any thread. Failure rule: DATA_LOSS with the reason alone, FAILED_PRECONDITION
// (cannot be read). Nothing is written.
#ifndef COX_STORE_SQLITE_FILE_HEADER_H_
#define COX_STORE_SQLITE_FILE_HEADER_H_

#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::store {

// "COXS", as in schema/0001: marks a database of Coxswain.
inline constexpr uint32_t kApplicationId = 0x434F5853;

// Checks that the first page begins like that of a database of Coxswain.
absl::Status CheckHeader(const std::string& path);
// Checks that the file has all pages that its header states, or is at least `known_bytes` long.
// While a log waits to be written back, a good file may have fewer pages than its header states: a
// reader can keep SQLite from writing back the last page, but not the header.
absl::Status CheckLength(const std::string& path,
                         uint64_t known_bytes = std::numeric_limits<uint64_t>::max());
// 0: cannot be read.
uint64_t LengthOf(const std::string& path);

// The error for a file that coxd refuses to open: DATA_LOSS, with the reason and what to do.
absl::Status DamagedFile(const std::string& path, absl::string_view why);
// Turns DATA_LOSS and INTERNAL into this error; returns other statuses unchanged.
absl::Status ExplainDamage(const std::string& path, const absl::Status& status);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_HEADER_H_
