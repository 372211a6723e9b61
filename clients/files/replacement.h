// Replaces a file in one step by content that comes in parts: a reader sees the old content or the
// new, never a part, and a failure leaves the old content. A device or a pipe (/dev/stdout) has no
// old content: it gets the parts at once.
//
// One thread. Errors as in files/file_io.h.
#ifndef COX_FILES_REPLACEMENT_H_
#define COX_FILES_REPLACEMENT_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox {

class Replacement {
 public:
  Replacement() = default;
  // Removes the new content, unless Finish succeeded.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  // Creates the new file beside `path`. The umask restricts `permissions`.
  absl::Status Begin(const std::string& path, mode_t permissions);
  absl::Status Write(absl::string_view part);
  // Gives the new file its name. With `waits_for_disk` the content is on the disk before that.
  absl::Status Finish(bool waits_for_disk);

 private:
  absl::Status Flush();

  std::string path_;
  std::string temporary_;  // empty for a device or a pipe
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace cox

#endif  // COX_FILES_REPLACEMENT_H_
