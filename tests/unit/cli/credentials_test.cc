#include "cli/credentials.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "folder.h"

namespace cox::cli {
namespace {

// While it lives, this process cannot write to files, as on a full disk.
class NoRoom {
 public:
  NoRoom() : action_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoRoom() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, action_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  rlimit before_ = {};
  void (*action_)(int);
};

TEST(WriteTokenTest, AFailureLeavesNoFile) {
  const Folder folder;
  const std::string path = folder.Path("token");
  absl::Status status;
  {
    const NoRoom no_room;
    status = WriteToken(path, "secret");
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kUnknown) << status;
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(WriteToken(path, "secret").ok());
  EXPECT_EQ(folder.Read("token"), "secret\n");
  EXPECT_EQ(WriteToken(path, "other").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(folder.Read("token"), "secret\n");
}

}  // namespace
}  // namespace cox::cli
