#include "tuning/own_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "files/system_error.h"

namespace cox::tuning {

absl::StatusOr<std::string> MakeOwnFolder(const std::string& shared) {
  std::error_code error;
  std::filesystem::create_directories(shared, error);
  if (error) return absl::UnknownError(absl::StrCat(shared, ": ", error.message()));
  std::string path = absl::StrCat(shared, "/coxswain-", geteuid());
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return SystemError(path, errno);
  const auto refused = [&path](absl::string_view why) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": ", why, "; remove it, or name another shared folder"));
  };
  // Who may write into the shared folder can put a link in this place.
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    return errno == ENOTDIR || errno == ELOOP ? refused("is no folder") : SystemError(path, errno);
  }
  const absl::Cleanup close_folder = [folder] { close(folder); };
  struct stat info;
  if (fstat(folder, &info) != 0) return SystemError(path, errno);
  if (info.st_uid != geteuid()) return refused("belongs to another user");
  const bool open_to_others = (info.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  if (open_to_others && fchmod(folder, S_IRWXU) != 0) return SystemError(path, errno);
  return path;
}

}  // namespace cox::tuning
