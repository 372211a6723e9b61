// Steps with files that must survive a crash.
//
// Thread rule: any thread. Failure rule: FAILED_PRECONDITION (cannot be created), UNAVAILABLE
// (cannot be synced, or written in), RESOURCE_EXHAUSTED (the disk is full).
#ifndef COX_STORE_SQLITE_FILE_FILES_H_
#define COX_STORE_SQLITE_FILE_FILES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace cox::store {

// Waits until the content of a file, or the names in a directory, are on the disk.
absl::Status Sync(const std::string& path);

// Creates an empty file with mode 0600, independent of the umask. SQLite gives its log the same
// mode.
absl::Status CreateForOwner(const std::string& path);

// Whether an errno says that a disk, a quota or a file's largest size leaves no space.
bool IsOutOfSpace(int error);

// Whether the directory's file system has this much space for its user: takes the space with a
// file without a name, and gives it back.
absl::Status CheckSpace(const std::string& directory, int64_t bytes);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_FILES_H_
