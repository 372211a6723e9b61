// Reading and writing files that only the daemon's user may read. Any thread.
#ifndef COX_ACCESS_PRIVATE_FILE_H_
#define COX_ACCESS_PRIVATE_FILE_H_

#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::access {

// An open file, made with mode 0600. Does not follow a symbolic link.
class PrivateFile {
 public:
  // `flags`: of open(). fd() is -1, with errno, when that fails.
  PrivateFile(const std::string& path, int flags);
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Whether every user may read or write the file; false if it cannot be looked at.
bool IsOpenToAll(const std::string& path);

// Exactly `bytes` from here. False, with errno or at an early end, when that fails.
bool ReadAll(int fd, size_t bytes, std::string* text);

// False, with errno, when that fails; a part may be written.
bool WriteAll(int fd, absl::string_view text);

// Puts the text in the place of the file, and on the disk: a reader sees the old or the new one.
// False, with errno, when that fails.
// `written`: of the new file; may be null.
bool ReplaceFile(const std::string& path, absl::string_view text, struct stat* written = nullptr);

}  // namespace cox::access

#endif  // COX_ACCESS_PRIVATE_FILE_H_
