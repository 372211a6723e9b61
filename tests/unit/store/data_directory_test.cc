#include "store/data_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "scratch.h"

namespace cox::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

absl::StatusOr<std::unique_ptr<Store>> OpenOn(const ScratchDirectory& directory, int64_t type,
                                              bool allow) {
  StoreOptions options;
  options.directory = directory.path();
  options.allow_network_file_system = allow;
  Surroundings surroundings = RealSurroundings();
  surroundings.file_system_type = [type](const std::string&) { return type; };
  return OpenSqliteIn(options, surroundings);
}

absl::Status OpenReal(const std::string& path) {
  StoreOptions options;
  options.directory = path;
  return OpenSqlite(options).status();
}

TEST(DataDirectoryTest, NetworkFileSystemsAreRefusedByName) {
  struct Case {
    int64_t type;
    const char* name;
  };
  for (const Case& c : {Case{0x6969, "NFS"}, Case{0xFF534D42, "CIFS"}, Case{0xFE534D42, "SMB2"},
                        Case{0x0BD00BD0, "Lustre"}, Case{0x47504653, "GPFS"},
                        Case{0x65735546, "FUSE"}, Case{0x00C36400, "Ceph"}}) {
    const ScratchDirectory directory;
    const absl::Status status = OpenOn(directory, c.type, false).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr(directory.path()), HasSubstr(c.name), HasSubstr("local directory"),
                      HasSubstr("allow-network-file-system")));
    EXPECT_TRUE(fs::is_empty(directory.path())) << "something was made there";
    EXPECT_TRUE(OpenOn(directory, c.type, true).ok());
  }
}

TEST(DataDirectoryTest, LocalFileSystemsAreTaken) {
  for (const int64_t type : {0xEF53LL, 0x58465342LL, 0x9123683ELL, 0x01021994LL, 0x2FC12FC1LL,
                             0x794C7630LL, 0LL, -1LL}) {
    EXPECT_EQ(NetworkFileSystemName(type), nullptr) << type;
    const ScratchDirectory directory;
    EXPECT_TRUE(OpenOn(directory, type, false).ok());
  }
}

TEST(DataDirectoryTest, AsksTheSystemForTheType) {
  EXPECT_EQ(*StatfsType("/proc"), 0x9FA0);
  EXPECT_FALSE(StatfsType("/nowhere/at/all").ok());
}

TEST(DataDirectoryTest, IsMadeIfMissingAndNotOpenToAll) {
  const ScratchDirectory directory;
  const std::string path = directory.path() + "/a/b";
  ASSERT_TRUE(OpenReal(path).ok());
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07, 0u);
}

TEST(DataDirectoryTest, SaysWhatIsInTheWay) {
  const ScratchDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(OpenReal(file + "/sub").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(OpenReal(file).message(), HasSubstr(file));
  EXPECT_EQ(OpenReal("").code(), absl::StatusCode::kInvalidArgument);
}

TEST(DataDirectoryTest, OthersCannotHoldItReady) {
  const ScratchDirectory directory;
  ASSERT_EQ(chmod(directory.path().c_str(), 01777), 0);
  const absl::Status open_to_all = OpenReal(directory.path());
  EXPECT_EQ(open_to_all.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(open_to_all.message(), AllOf(HasSubstr(directory.path()), HasSubstr("chmod")));
  EXPECT_TRUE(fs::is_empty(directory.path())) << "something was made there";
  ASSERT_EQ(chmod(directory.path().c_str(), 0755), 0);
  EXPECT_TRUE(OpenReal(directory.path()).ok());
  if (geteuid() != 0) GTEST_SKIP() << "needs root for the owner";
  ASSERT_EQ(chown(directory.path().c_str(), 0, 4712), 0);
  ASSERT_EQ(chmod(directory.path().c_str(), 0770), 0);
  const absl::Status open_to_group = OpenReal(directory.path());
  EXPECT_EQ(open_to_group.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(open_to_group.message(), AllOf(HasSubstr("4712"), HasSubstr("chmod g-w")));
  // As the volume of a container: the group is coxd's own.
  ASSERT_EQ(chown(directory.path().c_str(), 0, getegid()), 0);
  EXPECT_TRUE(OpenReal(directory.path()).ok());
  ASSERT_EQ(chown(directory.path().c_str(), 4711, 4711), 0);
  const absl::Status foreign = OpenReal(directory.path());
  EXPECT_EQ(foreign.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(foreign.message(), AllOf(HasSubstr(directory.path()), HasSubstr("4711")));
}

// A link at the place of the lock file would let another file be emptied.
TEST(DataDirectoryTest, FollowsNoLinkAtTheLockFile) {
  const ScratchDirectory directory;
  const ScratchDirectory other;
  std::ofstream(other.path() + "/precious") << "kept";
  fs::create_symlink(other.path() + "/precious", directory.path() + "/coxswain.lock");
  EXPECT_FALSE(OpenReal(directory.path()).ok());
  std::string kept;
  std::ifstream(other.path() + "/precious") >> kept;
  EXPECT_EQ(kept, "kept");
}

TEST(DataDirectoryTest, ASecondDaemonIsRefusedAndToldWhoIsThere) {
  const ScratchDirectory directory;
  std::unique_ptr<Store> first = MustOpen(directory);
  const absl::Status second = OpenReal(directory.path());
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(second.message(),
              AllOf(HasSubstr(absl::StrCat("pid ", getpid(), ")")), HasSubstr(directory.path())));
  // The first one still works.
  EXPECT_TRUE(first->CreateMachine(MachineNamed("m"), "").ok());
  first.reset();
  EXPECT_TRUE(OpenReal(directory.path()).ok());
}

TEST(DataDirectoryTest, DeletingTheLockFileLetsNobodyIn) {
  const ScratchDirectory directory;
  const std::unique_ptr<Store> first = MustOpen(directory);
  fs::remove(directory.path() + "/coxswain.lock");
  const absl::Status second = OpenReal(directory.path());
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(second.message(), HasSubstr("another daemon"));
}

TEST(DataDirectoryTest, OnlyTheOwnerMayReadTheFiles) {
  const ScratchDirectory directory;
  const mode_t before = umask(0);
  const std::unique_ptr<Store> store = MustOpen(directory);
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  umask(before);
  int seen = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(directory.path())) {
    struct stat status;
    ASSERT_EQ(stat(file.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << file.path();
    ++seen;
  }
  EXPECT_GE(seen, 3);
}

TEST(DataDirectoryTest, FilesThatOthersCouldReadAreClosedToThem) {
  const ScratchDirectory directory;
  MustOpen(directory).reset();
  fs::permissions(directory.Database(), static_cast<fs::perms>(0644));
  const std::unique_ptr<Store> store = MustOpen(directory);
  struct stat status;
  ASSERT_EQ(stat(directory.Database().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(DataDirectoryTest, ARefusedFileGivesTheLockBack) {
  const ScratchDirectory directory;
  std::ofstream(directory.Database()) << "not a database";
  EXPECT_EQ(OpenReal(directory.path()).code(), absl::StatusCode::kDataLoss);
  fs::remove(directory.Database());
  EXPECT_TRUE(OpenReal(directory.path()).ok());
}

TEST(DataDirectoryTest, TheLockOfAKilledDaemonIsFree) {
  const ScratchDirectory directory;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::unique_ptr<Store> store = MustOpen(directory);
    if (store != nullptr && write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THAT(OpenReal(directory.path()).message(), HasSubstr(absl::StrCat("pid ", child, ")")));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(OpenReal(directory.path()).ok());
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace cox::store
