#include "access/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace cox::access {
namespace {

// The entry in the folder, too, must be on the disk.
bool SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const PrivateFile folder(slash == std::string::npos ? "." : path.substr(0, slash + 1),
                           O_RDONLY | O_DIRECTORY);
  return folder.fd() >= 0 && fsync(folder.fd()) == 0;
}

}  // namespace

PrivateFile::PrivateFile(const std::string& path, int flags)
    : fd_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)) {}

PrivateFile::~PrivateFile() {
  if (fd_ >= 0) close(fd_);
}

bool IsOpenToAll(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IRWXO) != 0;
}

bool ReadAll(int fd, size_t bytes, std::string* text) {
  text->resize(bytes);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = read(fd, text->data() + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

bool ReplaceFile(const std::string& path, absl::string_view text, struct stat* written) {
  const std::string unfinished = absl::StrCat(path, ".new");
  unlink(unfinished.c_str());
  const PrivateFile file(unfinished, O_WRONLY | O_CREAT | O_EXCL);
  return file.fd() >= 0 && WriteAll(file.fd(), text) && fsync(file.fd()) == 0 &&
         rename(unfinished.c_str(), path.c_str()) == 0 &&
         (written == nullptr || fstat(file.fd(), written) == 0) && SyncFolderOf(path);
}

}  // namespace cox::access
