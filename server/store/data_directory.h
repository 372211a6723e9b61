// The directory of a daemon's state. Creates it if it is missing, refuses network file systems, and
// locks it so that two daemons never share one. coxswain.lock in it names the owner's pid; deleting
// that file does not unlock the directory.
//
// Thread rule: a value of one thread. Failure rule: FAILED_PRECONDITION says what is wrong and what
// to do.
#ifndef COX_STORE_DATA_DIRECTORY_H_
#define COX_STORE_DATA_DIRECTORY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cox::store {

// f_type of statfs(2) for a path. Tests replace it.
using FileSystemType = std::function<absl::StatusOr<int64_t>(const std::string& path)>;
absl::StatusOr<int64_t> StatfsType(const std::string& path);

// Name of the network (or cluster, or FUSE) file system with that f_type; nullptr for all others.
const char* NetworkFileSystemName(int64_t type);

class DataDirectory {
 public:
  // `allow_network`: accepts network file systems, whose locks may not work.
  static absl::StatusOr<DataDirectory> Open(const std::string& path, bool allow_network,
                                            const FileSystemType& type_of);
  ~DataDirectory();  // unlocks; coxswain.lock stays
  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;

  const std::string& path() const { return path_; }
  std::string DatabasePath() const { return path_ + "/coxswain.db"; }

 private:
  DataDirectory(std::string path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::string path_;
  int lock_fd_;
};

}  // namespace cox::store

#endif  // COX_STORE_DATA_DIRECTORY_H_
