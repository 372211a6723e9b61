#include "store/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace cox::store {
namespace {

struct NamedType {
  int64_t type;
  const char* name;
};

// Linux's magic numbers of file systems whose locks or caches SQLite cannot rely on.
constexpr NamedType kNetworkTypes[] = {
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFE534D42, "SMB2"},
    {0xFF534D42, "CIFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x65735546, "FUSE"},
    {0x5346414F, "AFS"},
    {0x6B414653, "AFS"},
    {0x00C36400, "Ceph"},
    {0x73757245, "Coda"},
    {0x564C, "NCP"},
    {0x01021997, "9P"},
    {0x7461636F, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x20030528, "OrangeFS"},
    {0x19830326, "BeeGFS"},
    {0xAAD7AAEA, "PanFS"},
    {0xBEEFDEAD, "StorNext"},
    {0x013111A8, "IBRIX"},
    {0x786F4256, "VirtualBox shared folder"},
    {0xBACBACBC, "VMware shared folder"},
};

absl::Status SystemError(const std::string& what) {
  return absl::FailedPreconditionError(absl::StrCat(what, ": ", std::strerror(errno)));
}

std::string PidIn(const std::string& path) {
  std::string pid;
  std::ifstream(path) >> pid;
  return pid.empty() ? "unknown" : pid;
}

bool IsOwnGroup(gid_t group) {
  if (group == getegid()) return true;
  std::vector<gid_t> groups(std::max(getgroups(0, nullptr), 0));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  return count > 0 &&
         std::find(groups.begin(), groups.begin() + count, group) != groups.begin() + count;
}

// Who could put other files in the place of ours could make us write into any file, and read
// tokens. A group of coxd's own may write: a container's volume often belongs to root, and to a
// group that only the container has (fsGroup of Kubernetes).
absl::Status CheckNobodyElseCanChange(int folder, const std::string& path) {
  struct stat status = {};
  if (fstat(folder, &status) != 0) return SystemError(absl::StrCat("cannot look at ", path));
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the data directory ", path, " belongs to the user ", status.st_uid,
        ", who could replace its files: run coxd as that user, or choose another directory"));
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("every user can change the data directory ", path,
                     ": run chmod o-w on it, or choose another directory"));
  }
  if ((status.st_mode & S_IWGRP) != 0 && !IsOwnGroup(status.st_gid)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the group ", status.st_gid, ", in which coxd is not, can change the data ",
                     "directory ", path, ": run chmod g-w on it, or choose another directory"));
  }
  return absl::OkStatus();
}

absl::Status WritePid(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return SystemError(absl::StrCat("cannot open ", path));
  const absl::Cleanup close_file = [fd] { close(fd); };
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0 ||
      pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return SystemError(absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> StatfsType(const std::string& path) {
  struct statfs buffer;
  if (statfs(path.c_str(), &buffer) != 0) return SystemError(absl::StrCat("statfs ", path));
  // f_type is a signed long on some platforms and a 32-bit number on all.
  return static_cast<int64_t>(static_cast<uint32_t>(buffer.f_type));
}

const char* NetworkFileSystemName(int64_t type) {
  for (const NamedType& known : kNetworkTypes) {
    if (known.type == type) return known.name;
  }
  return nullptr;
}

absl::StatusOr<DataDirectory> DataDirectory::Open(const std::string& path, bool allow_network,
                                                  const FileSystemType& type_of) {
  if (path.empty()) return absl::InvalidArgumentError("the data directory has no name");
  std::error_code error;
  const bool created = std::filesystem::create_directories(path, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make the data directory ", path, ": ", error.message()));
  }
  if (created) {
    using std::filesystem::perms;
    std::filesystem::permissions(path, perms::owner_all, error);
  }
  const absl::StatusOr<int64_t> type = type_of(path);
  if (!type.ok()) return type.status();
  const char* const network = NetworkFileSystemName(*type);
  if (network != nullptr && !allow_network) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is on a ", network,
        " file system, where SQLite's locks are not reliable: choose a local directory, or set "
        "allow-network-file-system if only one host ever uses it"));
  }

  // The lock is on the directory itself: who deletes a lock file does not get in.
  const int lock_fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_fd < 0) return SystemError(absl::StrCat("cannot open ", path));
  DataDirectory directory(path, lock_fd);
  if (absl::Status safe = CheckNobodyElseCanChange(lock_fd, path); !safe.ok()) return safe;
  const std::string pid_path = path + "/coxswain.lock";
  if (flock(lock_fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return SystemError(absl::StrCat("cannot lock ", path));
    return absl::FailedPreconditionError(absl::StrCat("another daemon (pid ", PidIn(pid_path),
                                                      ") uses the data directory ", path,
                                                      ": stop it, or choose another directory"));
  }
  if (absl::Status written = WritePid(pid_path); !written.ok()) return written;
  return directory;
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

DataDirectory::~DataDirectory() {
  if (lock_fd_ >= 0) close(lock_fd_);
}

}  // namespace cox::store
