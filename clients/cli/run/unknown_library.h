// Makes an unknown library "not found", like any other unknown name. Stateless, any thread.
#ifndef COX_CLI_RUN_UNKNOWN_LIBRARY_H_
#define COX_CLI_RUN_UNKNOWN_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "library/libraries.h"

namespace cox::cli {

// `status` as NOT_FOUND where coxd refuses a question about a library that no table knows. It may
// know a library from observations alone, so coxd is asked first.
inline absl::Status NamedLibrary(const std::string& library, const absl::Status& status) {
  const bool is_refused = absl::IsInvalidArgument(status) || absl::IsUnimplemented(status);
  if (!is_refused || library::FindLibrary(library) != nullptr) return status;
  return absl::NotFoundError(status.message());
}

}  // namespace cox::cli

#endif  // COX_CLI_RUN_UNKNOWN_LIBRARY_H_
