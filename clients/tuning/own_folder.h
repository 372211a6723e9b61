// The folder of one user in a folder that several users share. Any thread.
#ifndef COX_TUNING_OWN_FOLDER_H_
#define COX_TUNING_OWN_FOLDER_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace cox::tuning {

// Makes `shared`/coxswain-USER, which only the process's user may enter, and returns its path.
// Users that share one folder would replace each other's files, and a cache that is too full would
// delete files that are not its own. FAILED_PRECONDITION where the name is another user's or no
// folder; else the system's error.
absl::StatusOr<std::string> MakeOwnFolder(const std::string& shared);

}  // namespace cox::tuning

#endif  // COX_TUNING_OWN_FOLDER_H_
