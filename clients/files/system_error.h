// The system's errors as statuses.
#ifndef COX_FILES_SYSTEM_ERROR_H_
#define COX_FILES_SYSTEM_ERROR_H_

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox {

// "WHAT: the system's message" of the error `number` (an errno): NOT_FOUND for ENOENT, else
// UNKNOWN.
inline absl::Status SystemError(absl::string_view what, int number) {
  const std::string message = absl::StrCat(what, ": ", std::strerror(number));
  return number == ENOENT ? absl::NotFoundError(message) : absl::UnknownError(message);
}

}  // namespace cox

#endif  // COX_FILES_SYSTEM_ERROR_H_
